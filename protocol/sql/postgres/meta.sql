select value from cairnq_meta where key = $1::text
