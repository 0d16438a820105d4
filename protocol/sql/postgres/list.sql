select {task} from cairnq_tasks t{filters}
order by t.created_at_ms desc, t.id desc limit $1::bigint offset $2::bigint
