-- The service's own role changes rows only through the transition functions (src/service-rights.ts has what it may besides): they run
-- with the rights of the tables' owner, find nothing but these tables and the system's names, and are nobody's to call by default.

-- Deletes those of the results that their keys have given up; one that is still retrievable stays, whoever asks.
CREATE FUNCTION delete_expired_results(job_ids text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM results r WHERE r.job_id = ANY (job_ids) AND r.expired
$$;

DO $$
DECLARE
  signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY[
    'record_job(jsonb)', 'end_job(text, text, jsonb)',
    'store_result(text, text, bytea, jsonb, text, integer, jsonb, uuid, bigint, text, integer)',
    'settle_stored(jsonb, uuid, bigint, text, integer)', 'commit_settlement(uuid, text, json, uuid, json)',
    'void_payment(uuid, text, boolean, boolean)', 'postpone_payment(uuid, text, integer)', 'note_late_transfer(uuid, text)',
    'expire_results(integer)', 'delete_expired_results(text[])', 'refuse_change()', 'check_payment_move()'
  ] LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, %I, pg_temp', signature, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
  END LOOP;
END $$;
