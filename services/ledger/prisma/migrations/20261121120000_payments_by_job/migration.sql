-- store_result looks for the payment of a job that was delivered again.
CREATE INDEX payments_job_id_idx ON payments (job_id);
