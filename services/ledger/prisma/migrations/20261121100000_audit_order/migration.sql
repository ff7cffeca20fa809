-- The order in which the audit pages through what was settled and what was issued.
CREATE INDEX payments_by_block ON payments (block_at_start, id) WHERE state = 'settled' OR late_transaction IS NOT NULL;
CREATE INDEX receipts_by_time ON receipts (created_at, id);
