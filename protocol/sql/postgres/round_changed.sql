  returning t.id, t.status, t.queue
