-- A transfer is booked for refund once, and only where no payment of the same authorization can count it. Payments of one
-- authorization share its key, so the key's index finds them.

-- Ends the watch over a void payment; keeps the transfer on it for refund unless another payment of the authorization has it.
-- Returns whether it was kept.
CREATE FUNCTION note_late_transfer(void_payment_id uuid, found_transaction text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  noted payments%ROWTYPE;
  is_free boolean;
BEGIN
  SELECT * INTO STRICT noted FROM payments p WHERE p.id = void_payment_id;
  PERFORM FROM idempotency_keys k WHERE k.key_hash = noted.key_hash FOR UPDATE;
  is_free := found_transaction IS NOT NULL AND NOT EXISTS (
    SELECT FROM payments p
    WHERE p.key_hash = noted.key_hash AND p.payer = noted.payer AND p.nonce = noted.nonce AND p.id <> noted.id
      AND (p.state <> 'void' OR p.late_transaction IS NOT NULL));
  UPDATE payments p SET watched = false, owner = NULL,
    late_transaction = CASE WHEN is_free THEN found_transaction ELSE p.late_transaction END
  WHERE p.id = void_payment_id AND p.state = 'void';
  RETURN is_free AND FOUND;
END $$;

-- What was booked for refund although a receipt counts it.
UPDATE payments p SET watched = false, late_transaction = NULL
WHERE p.state = 'void' AND (p.watched OR p.late_transaction IS NOT NULL)
  AND EXISTS (SELECT FROM receipts r WHERE r.payer = p.payer AND r.nonce = p.nonce);

-- A new signature for a stored result whose payment failed for sure. Returns 'accepted', 'conflict' or 'payment_already_used';
-- payment_id is set when this call made the payment.
CREATE OR REPLACE FUNCTION settle_stored(
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
    -- Its hour is over and expire_results has not come by yet: the key is freed here, so that whoever looks again finds it so.
    UPDATE idempotency_keys k SET state = 'free', attempts = k.attempts + 1, settlement_failure = NULL, updated_at = now()
    WHERE k.key_hash = key.key_hash;
    UPDATE results r SET expired = true WHERE r.job_id = key.job_id;
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
  -- A transfer by this authorization is the new payment's from here on.
  UPDATE payments p SET watched = false
  WHERE p.key_hash = key.key_hash AND p.payer = key.payer AND p.nonce = request->>'nonce' AND p.state = 'void' AND p.watched;
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
-- for a void payment 'late' (the transfer is kept on it for refund) or 'taken_over' (another payment of the authorization has it).
CREATE OR REPLACE FUNCTION commit_settlement(settled_payment_id uuid, settled_by text, response json, new_receipt_id uuid, new_document json)
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
    became := CASE WHEN note_late_transfer(settled_payment_id, settled_by) THEN 'late' ELSE 'taken_over' END;
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
