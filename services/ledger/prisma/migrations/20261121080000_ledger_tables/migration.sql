-- A payment belongs to the first effective request that it arrived with.
CREATE TABLE authorizations (
  payer       text NOT NULL,
  nonce       text NOT NULL,
  key_hash    text NOT NULL,
  fingerprint text NOT NULL,
  created_at  timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT authorizations_pkey PRIMARY KEY (payer, nonce)
);

-- Kept for ever.
CREATE TABLE idempotency_keys (
  key_hash           text NOT NULL,
  fingerprint        text NOT NULL,
  payer              text NOT NULL,
  job_id             text NOT NULL,
  state              text NOT NULL,
  attempts           integer NOT NULL DEFAULT 0,
  amount_atomic      bigint NOT NULL,
  failure            jsonb,
  settlement_failure text,
  updated_at         timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key_hash),
  CONSTRAINT idempotency_keys_state CHECK (state IN
    ('in_flight', 'settling', 'settlement_unknown', 'settled', 'free', 'ambiguous', 'awaiting_payment', 'expired'))
);

CREATE TABLE jobs (
  job_id          text NOT NULL,
  request_id      uuid NOT NULL,
  key_hash        text NOT NULL,
  fingerprint     text NOT NULL,
  endpoint        text NOT NULL,
  model           text NOT NULL,
  catalog_version text NOT NULL,
  amount_atomic   bigint NOT NULL,
  price_inputs    jsonb NOT NULL,
  payer           text NOT NULL,
  nonce           text NOT NULL,
  pay_to          text NOT NULL,
  valid_before    bigint NOT NULL,
  attempt         integer NOT NULL,
  admitted_at     timestamptz(3) NOT NULL,
  deadline        timestamptz(3) NOT NULL,
  payment         jsonb,
  state           text NOT NULL,
  failure         jsonb,
  recorded_at     timestamptz(3) NOT NULL DEFAULT now(),
  ended_at        timestamptz(3),
  swept_at        timestamptz(3),
  CONSTRAINT jobs_pkey PRIMARY KEY (job_id),
  CONSTRAINT jobs_amount CHECK (amount_atomic > 0),
  CONSTRAINT jobs_state CHECK (state IN ('admitted', 'succeeded', 'failed', 'refused', 'ambiguous', 'superseded'))
);
-- "Is another job of this key still admitted" and the overdue sweep look at open jobs only.
CREATE INDEX jobs_open_by_key ON jobs (key_hash) WHERE state = 'admitted';
CREATE INDEX jobs_open_by_deadline ON jobs (deadline) WHERE state = 'admitted';

CREATE TABLE results (
  job_id       text NOT NULL,
  key_hash     text NOT NULL,
  content_type text NOT NULL,
  body         bytea,
  body_ref     jsonb,
  sha256       text NOT NULL,
  bytes        integer NOT NULL,
  usage        jsonb NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  expires_at   timestamptz(3) NOT NULL,
  expired      boolean NOT NULL DEFAULT false,
  CONSTRAINT results_pkey PRIMARY KEY (job_id),
  CONSTRAINT results_one_body CHECK ((body IS NULL) <> (body_ref IS NULL))
);
-- Sealed bytes do not compress; trying to costs time on every write.
ALTER TABLE results ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX results_expires_at_idx ON results (expires_at);

CREATE TABLE payments (
  id               uuid NOT NULL,
  job_id           text NOT NULL,
  key_hash         text NOT NULL,
  payer            text NOT NULL,
  nonce            text NOT NULL,
  pay_to           text NOT NULL,
  amount_atomic    bigint NOT NULL,
  valid_before     bigint NOT NULL,
  state            text NOT NULL,
  block_at_start   bigint NOT NULL,
  payment          jsonb,
  submissions      integer NOT NULL DEFAULT 0,
  checks           integer NOT NULL DEFAULT 0,
  next_check_at    timestamptz(3) NOT NULL,
  owner            text,
  transaction      text,
  settle_response  json,
  failure          text,
  watched          boolean NOT NULL DEFAULT false,
  late_transaction text,
  created_at       timestamptz(3) NOT NULL DEFAULT now(),
  decided_at       timestamptz(3),
  CONSTRAINT payments_pkey PRIMARY KEY (id),
  CONSTRAINT payments_amount CHECK (amount_atomic > 0),
  CONSTRAINT payments_state CHECK (state IN ('settling', 'unknown', 'settled', 'void')),
  CONSTRAINT payments_settled CHECK (state <> 'settled' OR (transaction IS NOT NULL AND settle_response IS NOT NULL))
);
-- A second winner is impossible, whatever the code above does.
CREATE UNIQUE INDEX payments_one_per_key ON payments (key_hash) WHERE state <> 'void';
CREATE UNIQUE INDEX payments_one_per_authorization ON payments (payer, nonce) WHERE state <> 'void';
CREATE INDEX payments_key_hash_idx ON payments (key_hash);
CREATE INDEX payments_due ON payments (next_check_at) WHERE state IN ('settling', 'unknown') OR watched;

CREATE TABLE receipts (
  id            uuid NOT NULL,
  job_id        text NOT NULL,
  payment_id    uuid NOT NULL,
  payer         text NOT NULL,
  nonce         text NOT NULL,
  transaction   text NOT NULL,
  amount_atomic bigint NOT NULL,
  document      json NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT receipts_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX receipts_job_id_key ON receipts (job_id);
CREATE UNIQUE INDEX receipts_payment_id_key ON receipts (payment_id);
CREATE UNIQUE INDEX receipts_payer_nonce_key ON receipts (payer, nonce);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER receipts_append_only BEFORE UPDATE OR DELETE ON receipts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipts_no_truncate BEFORE TRUNCATE ON receipts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The table of payment states (src/payment-states.ts), held by the database too.
CREATE FUNCTION check_payment_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state = OLD.state
    OR (OLD.state = 'settling' AND NEW.state IN ('unknown', 'settled', 'void'))
    OR (OLD.state = 'unknown' AND NEW.state IN ('settled', 'void')) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a payment does not move from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER payments_moves BEFORE UPDATE OF state ON payments FOR EACH ROW EXECUTE FUNCTION check_payment_move();
