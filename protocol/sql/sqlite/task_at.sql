select {task} from cairnq_tasks where rowid = ?1;
