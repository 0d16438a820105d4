t.id, t.name, t.queue, t.payload{text}, t.metadata{text}, t.attempt, t.max_attempts, t.root_id, t.correlation_id,
t.cancel_requested_at_ms, t.priority, t.{order}
