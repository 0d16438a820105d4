select set_config('cairnq.schema', $1::text, true)
