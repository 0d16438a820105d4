select {task} from unnest($1::text[]) as wanted (id) join cairnq_tasks t on t.id = wanted.id
