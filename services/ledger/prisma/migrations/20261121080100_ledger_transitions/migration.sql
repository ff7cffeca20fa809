-- Every transition is one function call: one statement and one round trip for the caller. Not one big CTE, because all parts of a
-- CTE see the snapshot from before its row locks were granted, so two jobs of one key that end at the same moment would each take
-- the other for still open. Inside a function each statement sees what was committed before it.
--
-- Every function locks the idempotency key's row first; whoever holds it is alone with the key, its jobs and its payments.

-- Records one admitted job. Returns its state ('admitted' or 'superseded') and whether this call made the row.
CREATE FUNCTION record_job(event jsonb) RETURNS TABLE (job_state text, is_new boolean) LANGUAGE plpgsql AS $$
DECLARE
  key idempotency_keys%ROWTYPE;
  owner authorizations%ROWTYPE;
  key_is_new boolean;
  is_admitted boolean;
BEGIN
  INSERT INTO idempotency_keys (key_hash, fingerprint, payer, job_id, state, amount_atomic)
  VALUES (event->>'keyHash', event->>'fingerprint', event->>'payer', event->>'jobId', 'in_flight', (event->>'amountAtomic')::bigint)
  ON CONFLICT (key_hash) DO NOTHING;
  key_is_new := FOUND;
  SELECT * INTO key FROM idempotency_keys k WHERE k.key_hash = event->>'keyHash' FOR UPDATE;

  SELECT j.state INTO job_state FROM jobs j WHERE j.job_id = event->>'jobId';
  IF FOUND THEN
    is_new := false;
    RETURN NEXT;
    RETURN;
  END IF;

  INSERT INTO authorizations (payer, nonce, key_hash, fingerprint)
  VALUES (event->>'payer', event->>'nonce', event->>'keyHash', event->>'fingerprint')
  ON CONFLICT (payer, nonce) DO NOTHING;
  SELECT * INTO owner FROM authorizations a WHERE a.payer = event->>'payer' AND a.nonce = event->>'nonce';

  is_admitted := owner.key_hash = key.key_hash AND owner.fingerprint = event->>'fingerprint'
    AND key.fingerprint = event->>'fingerprint' AND key.payer = event->>'payer'
    AND key.state IN ('in_flight', 'free');
  IF is_admitted AND key.state = 'free' THEN
    UPDATE idempotency_keys k
    SET state = 'in_flight', job_id = event->>'jobId', amount_atomic = (event->>'amountAtomic')::bigint,
        failure = NULL, settlement_failure = NULL, updated_at = now()
    WHERE k.key_hash = key.key_hash;
  ELSIF key_is_new AND NOT is_admitted THEN
    -- The authorization belongs to another request, so this key was never admitted.
    DELETE FROM idempotency_keys k WHERE k.key_hash = key.key_hash;
  END IF;

  job_state := CASE WHEN is_admitted THEN 'admitted' ELSE 'superseded' END;
  INSERT INTO jobs (job_id, request_id, key_hash, fingerprint, endpoint, model, catalog_version, amount_atomic, price_inputs,
    payer, nonce, pay_to, valid_before, attempt, admitted_at, deadline, payment, state, ended_at)
  VALUES (event->>'jobId', (event->>'requestId')::uuid, event->>'keyHash', event->>'fingerprint', event->>'endpoint',
    event->>'model', event->>'catalogVersion', (event->>'amountAtomic')::bigint, event->'priceInputs',
    event->>'payer', event->>'nonce', event->>'payTo', (event->>'validBefore')::bigint, (event->>'attempt')::integer,
    to_timestamp((event->>'admittedAt')::numeric / 1000), to_timestamp((event->>'deadline')::numeric / 1000),
    CASE WHEN is_admitted THEN event->'payment' END, job_state, CASE WHEN NOT is_admitted THEN now() END);
  is_new := true;
  RETURN NEXT;
END $$;

-- Ends an admitted job without a result. Returns 'unrecorded', 'ended', or 'already_ended' when an earlier outcome stands.
CREATE FUNCTION end_job(ended_job_id text, kind text, why jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  job jobs%ROWTYPE;
  key idempotency_keys%ROWTYPE;
  other_job_id text;
BEGIN
  SELECT * INTO job FROM jobs j WHERE j.job_id = ended_job_id;
  IF NOT FOUND THEN RETURN 'unrecorded'; END IF;
  SELECT * INTO key FROM idempotency_keys k WHERE k.key_hash = job.key_hash FOR UPDATE;
  UPDATE jobs j SET state = kind, failure = why, ended_at = now(), payment = NULL
  WHERE j.job_id = ended_job_id AND j.state = 'admitted';
  IF NOT FOUND THEN RETURN 'already_ended'; END IF;
  IF key.state <> 'in_flight' THEN RETURN 'ended'; END IF;

  IF kind = 'ambiguous' THEN
    -- The client is told that nothing will be charged under this key: another job of it must not settle any more either.
    UPDATE idempotency_keys k SET state = 'ambiguous', job_id = ended_job_id, failure = why, updated_at = now()
    WHERE k.key_hash = key.key_hash;
    RETURN 'ended';
  END IF;
  SELECT j.job_id INTO other_job_id FROM jobs j
  WHERE j.key_hash = key.key_hash AND j.state = 'admitted' ORDER BY j.admitted_at LIMIT 1;
  UPDATE idempotency_keys k
  SET state = CASE WHEN other_job_id IS NULL THEN 'free' ELSE 'in_flight' END,
      job_id = coalesce(other_job_id, ended_job_id),
      failure = CASE WHEN other_job_id IS NULL THEN why END,
      -- Past the attempt of every job so far, so that the next job has an id of its own.
      attempts = greatest(k.attempts, job.attempt) + 1,
      updated_at = now()
  WHERE k.key_hash = key.key_hash;
  RETURN 'ended';
END $$;

-- Transaction A: the result, the payment and the key's state. Returns what became of the outcome:
-- 'unrecorded' (no such job yet), 'stored', 'superseded' (another job of the key won), or 'already_ended' with the job's state.
CREATE FUNCTION store_result(
  ended_job_id text, result_content_type text, result_body bytea, result_body_ref jsonb, result_sha256 text, result_bytes integer,
  result_usage jsonb, new_payment_id uuid, block bigint, new_owner text, lease_ms integer
) RETURNS TABLE (became text, job_state text, payment_id uuid) LANGUAGE plpgsql AS $$
DECLARE
  job jobs%ROWTYPE;
  key idempotency_keys%ROWTYPE;
BEGIN
  SELECT * INTO job FROM jobs j WHERE j.job_id = ended_job_id;
  IF NOT FOUND THEN
    became := 'unrecorded';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO key FROM idempotency_keys k WHERE k.key_hash = job.key_hash FOR UPDATE;
  SELECT * INTO job FROM jobs j WHERE j.job_id = ended_job_id;
  job_state := job.state;
  IF job.state <> 'admitted' THEN
    became := 'already_ended';
    SELECT p.id INTO payment_id FROM payments p WHERE p.job_id = ended_job_id AND p.state <> 'void';
    RETURN NEXT;
    RETURN;
  END IF;
  IF key.state IS DISTINCT FROM 'in_flight' THEN
    UPDATE jobs j SET state = 'superseded', ended_at = now(), payment = NULL WHERE j.job_id = ended_job_id;
    became := 'superseded';
    job_state := 'superseded';
    RETURN NEXT;
    RETURN;
  END IF;

  INSERT INTO results (job_id, key_hash, content_type, body, body_ref, sha256, bytes, usage, expires_at)
  VALUES (ended_job_id, job.key_hash, result_content_type, result_body, result_body_ref, result_sha256, result_bytes, result_usage,
    now() + interval '7 days');
  INSERT INTO payments (id, job_id, key_hash, payer, nonce, pay_to, amount_atomic, valid_before, state, block_at_start, payment,
    submissions, next_check_at, owner)
  VALUES (new_payment_id, ended_job_id, job.key_hash, job.payer, job.nonce, job.pay_to, job.amount_atomic, job.valid_before,
    'settling', block, job.payment, 1, now() + make_interval(secs => lease_ms / 1000.0), new_owner);
  UPDATE jobs j SET state = 'succeeded', ended_at = now(), payment = NULL WHERE j.job_id = ended_job_id;
  UPDATE idempotency_keys k SET state = 'settling', job_id = ended_job_id, amount_atomic = job.amount_atomic, failure = NULL,
    updated_at = now()
  WHERE k.key_hash = job.key_hash;
  became := 'stored';
  job_state := 'succeeded';
  payment_id := new_payment_id;
  RETURN NEXT;
END $$;

-- A new signature for a stored result whose payment failed for sure. Returns 'accepted', 'conflict' or 'payment_already_used';
-- payment_id is set when this call made the payment.
CREATE FUNCTION settle_stored(
  request jsonb, new_payment_id uuid, block bigint, new_owner text, lease_ms integer
) RETURNS TABLE (status text, payment_id uuid) LANGUAGE plpgsql AS $$
DECLARE
  key idempotency_keys%ROWTYPE;
  owner authorizations%ROWTYPE;
  job jobs%ROWTYPE;
BEGIN
  status := 'conflict';
  SELECT * INTO key FROM idempotency_keys k WHERE k.key_hash = request->>'keyHash' FOR UPDATE;
  IF NOT FOUND OR key.job_id <> request->>'jobId' OR key.fingerprint <> request->>'fingerprint'
    OR key.payer <> request->>'payer' OR key.amount_atomic::text <> request->>'amountAtomic' THEN
    RETURN NEXT;
    RETURN;
  END IF;
  IF key.state IN ('settling', 'settlement_unknown', 'settled') THEN
    -- The same command again, or a client that signed twice: settlement is under way or done.
    IF EXISTS (SELECT FROM payments p WHERE p.key_hash = key.key_hash AND p.nonce = request->>'nonce' AND p.state <> 'void') THEN
      status := 'accepted';
    END IF;
    RETURN NEXT;
    RETURN;
  END IF;
  IF key.state <> 'awaiting_payment' THEN
    RETURN NEXT;
    RETURN;
  END IF;
  PERFORM FROM results r WHERE r.job_id = key.job_id AND r.expires_at > now() AND NOT r.expired;
  IF NOT FOUND THEN
    RETURN NEXT;
    RETURN;
  END IF;
  INSERT INTO authorizations (payer, nonce, key_hash, fingerprint)
  VALUES (key.payer, request->>'nonce', key.key_hash, key.fingerprint)
  ON CONFLICT (payer, nonce) DO NOTHING;
  SELECT * INTO owner FROM authorizations a WHERE a.payer = key.payer AND a.nonce = request->>'nonce';
  IF owner.key_hash <> key.key_hash OR owner.fingerprint <> key.fingerprint THEN
    status := 'payment_already_used';
    RETURN NEXT;
    RETURN;
  END IF;
  UPDATE results r SET expires_at = now() + interval '7 days' WHERE r.job_id = key.job_id;
  SELECT * INTO job FROM jobs j WHERE j.job_id = key.job_id;
  INSERT INTO payments (id, job_id, key_hash, payer, nonce, pay_to, amount_atomic, valid_before, state, block_at_start, payment,
    submissions, next_check_at, owner)
  VALUES (new_payment_id, key.job_id, key.key_hash, key.payer, request->>'nonce', job.pay_to, key.amount_atomic,
    (request->>'validBefore')::bigint, 'settling', block, request->'payment', 1,
    now() + make_interval(secs => lease_ms / 1000.0), new_owner);
  UPDATE idempotency_keys k SET state = 'settling', settlement_failure = NULL, updated_at = now() WHERE k.key_hash = key.key_hash;
  status := 'accepted';
  payment_id := new_payment_id;
  RETURN NEXT;
END $$;

-- Transaction B. Returns the receipt that stands (an earlier one where the payment was settled before) and whether this call made it;
-- 'late' when the payment is void: the transfer is kept on it for refund.
CREATE FUNCTION commit_settlement(settled_payment_id uuid, settled_by text, response json, new_receipt_id uuid, new_document json)
RETURNS TABLE (became text, receipt_id uuid) LANGUAGE plpgsql AS $$
DECLARE
  settled payments%ROWTYPE;
BEGIN
  SELECT * INTO STRICT settled FROM payments p WHERE p.id = settled_payment_id;
  PERFORM FROM idempotency_keys k WHERE k.key_hash = settled.key_hash FOR UPDATE;
  SELECT * INTO settled FROM payments p WHERE p.id = settled_payment_id;
  IF settled.state = 'settled' THEN
    became := 'already_settled';
    SELECT r.id INTO receipt_id FROM receipts r WHERE r.payment_id = settled_payment_id;
    RETURN NEXT;
    RETURN;
  END IF;
  IF settled.state = 'void' THEN
    UPDATE payments p SET late_transaction = settled_by, watched = false WHERE p.id = settled_payment_id;
    became := 'late';
    RETURN NEXT;
    RETURN;
  END IF;
  UPDATE payments p SET state = 'settled', transaction = settled_by, settle_response = response, payment = NULL, owner = NULL,
    failure = NULL, decided_at = now()
  WHERE p.id = settled_payment_id;
  INSERT INTO receipts (id, job_id, payment_id, payer, nonce, transaction, amount_atomic, document)
  VALUES (new_receipt_id, settled.job_id, settled.id, settled.payer, settled.nonce, settled_by, settled.amount_atomic, new_document);
  UPDATE results r SET expires_at = now() + interval '7 days' WHERE r.job_id = settled.job_id;
  UPDATE idempotency_keys k SET state = 'settled', settlement_failure = NULL, updated_at = now() WHERE k.key_hash = settled.key_hash;
  became := 'settled';
  receipt_id := new_receipt_id;
  RETURN NEXT;
END $$;

-- The payment failed for sure; the result waits an hour for a new signature. With `only_first`, nothing happens unless the payment
-- was submitted exactly once: after a second submission one refusal says nothing about the other. Returns the payment's state.
CREATE FUNCTION void_payment(voided_payment_id uuid, why text, only_first boolean, is_watched boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  voided payments%ROWTYPE;
BEGIN
  SELECT * INTO STRICT voided FROM payments p WHERE p.id = voided_payment_id;
  PERFORM FROM idempotency_keys k WHERE k.key_hash = voided.key_hash FOR UPDATE;
  UPDATE payments p SET state = 'void', failure = why, payment = NULL, owner = NULL, decided_at = now(), watched = is_watched,
    next_check_at = CASE WHEN is_watched THEN to_timestamp(p.valid_before) + interval '30 seconds' ELSE p.next_check_at END
  WHERE p.id = voided_payment_id AND p.state IN ('settling', 'unknown') AND (p.submissions = 1 OR NOT only_first);
  IF NOT FOUND THEN
    SELECT * INTO voided FROM payments p WHERE p.id = voided_payment_id;
    RETURN voided.state;
  END IF;
  UPDATE results r SET expires_at = now() + interval '1 hour' WHERE r.job_id = voided.job_id;
  UPDATE idempotency_keys k SET state = 'awaiting_payment', settlement_failure = why, updated_at = now()
  WHERE k.key_hash = voided.key_hash;
  RETURN 'void';
END $$;

-- Nobody knows yet: asked again after delay_ms, by whichever replica comes first. Returns the payment's state.
CREATE FUNCTION postpone_payment(postponed_payment_id uuid, why text, delay_ms integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  postponed payments%ROWTYPE;
BEGIN
  SELECT * INTO STRICT postponed FROM payments p WHERE p.id = postponed_payment_id;
  PERFORM FROM idempotency_keys k WHERE k.key_hash = postponed.key_hash FOR UPDATE;
  UPDATE payments p SET state = 'unknown', failure = why, owner = NULL, checks = p.checks + 1,
    next_check_at = now() + make_interval(secs => delay_ms / 1000.0)
  WHERE p.id = postponed_payment_id AND p.state IN ('settling', 'unknown');
  IF NOT FOUND THEN
    SELECT * INTO postponed FROM payments p WHERE p.id = postponed_payment_id;
    RETURN postponed.state;
  END IF;
  UPDATE idempotency_keys k SET state = 'settlement_unknown', updated_at = now()
  WHERE k.key_hash = postponed.key_hash AND k.state = 'settling';
  RETURN 'unknown';
END $$;

-- Gives up results past their time: a settled key becomes 'expired' for ever, one that nobody paid within the hour becomes 'free'.
-- The rows stay until their objects are deleted, so a crash in between leaves nothing behind.
CREATE FUNCTION expire_results(at_most integer) RETURNS TABLE (expired_job_id text, object_ref text) LANGUAGE plpgsql AS $$
DECLARE
  due record;
  key idempotency_keys%ROWTYPE;
BEGIN
  FOR due IN SELECT r.job_id, r.key_hash FROM results r WHERE r.expires_at < now() ORDER BY r.expires_at LIMIT at_most LOOP
    SELECT * INTO key FROM idempotency_keys k WHERE k.key_hash = due.key_hash FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    IF key.job_id = due.job_id THEN
      -- Undecided payments keep their result; settle_stored may have prolonged it since.
      CONTINUE WHEN key.state IN ('settling', 'settlement_unknown');
      CONTINUE WHEN NOT EXISTS (SELECT FROM results r WHERE r.job_id = due.job_id AND r.expires_at < now());
      UPDATE idempotency_keys k
      SET state = CASE k.state WHEN 'settled' THEN 'expired' WHEN 'awaiting_payment' THEN 'free' ELSE k.state END,
          attempts = CASE k.state WHEN 'awaiting_payment' THEN k.attempts + 1 ELSE k.attempts END,
          settlement_failure = NULL, updated_at = now()
      WHERE k.key_hash = key.key_hash AND k.state IN ('settled', 'awaiting_payment');
    END IF;
    UPDATE results r SET expired = true WHERE r.job_id = due.job_id;
    expired_job_id := due.job_id;
    SELECT r.body_ref->>'ref' INTO object_ref FROM results r WHERE r.job_id = due.job_id;
    RETURN NEXT;
  END LOOP;
END $$;
