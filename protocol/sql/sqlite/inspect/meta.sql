select key, value from cairnq_meta
