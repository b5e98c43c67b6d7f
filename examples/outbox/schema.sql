-- The service inserts a row in the transaction that needs the command. Its id is the identity of the command.
CREATE TABLE outbox (
  id text PRIMARY KEY,
  type text NOT NULL,
  data jsonb NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'done', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  send_at timestamptz NOT NULL DEFAULT now(),
  error text
);
CREATE INDEX outbox_due ON outbox (send_at) WHERE state IN ('waiting', 'sent');
CREATE TABLE inbox (
  id text PRIMARY KEY,
  command_id text NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL
);
