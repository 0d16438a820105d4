select {task} from cairnq_tasks where id = (select task_id from cairnq_task_keys where key = ?1);
