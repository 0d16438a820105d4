select {task} from cairnq_tasks where id = ?1;
