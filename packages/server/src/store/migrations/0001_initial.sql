-- Times are epoch milliseconds, flags are 0 or 1, lists and free-form objects are JSON text.
-- A *_folded column holds its neighbour in lower case, for search and for sorting by name.

-- The counts are kept by the triggers below. They stand here and not in a table of their own because
-- an upload writes this row anyway.
CREATE TABLE instances (
  id                   TEXT PRIMARY KEY,
  name                 TEXT NOT NULL,
  name_folded          TEXT NOT NULL,
  region               TEXT NOT NULL,
  version              TEXT NOT NULL,
  status               TEXT NOT NULL CHECK (status IN ('healthy', 'degraded')),
  is_active            INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  quota_bytes          INTEGER NOT NULL CHECK (quota_bytes >= 0),
  used_bytes           INTEGER NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
  quota_warned         INTEGER NOT NULL DEFAULT 0 CHECK (quota_warned IN (0, 1)),
  vaults               INTEGER NOT NULL DEFAULT 0,
  documents            INTEGER NOT NULL DEFAULT 0,
  usable_shares        INTEGER NOT NULL DEFAULT 0,
  webhooks             INTEGER NOT NULL DEFAULT 0,
  pending_deliveries   INTEGER NOT NULL DEFAULT 0,
  retrying_deliveries  INTEGER NOT NULL DEFAULT 0,
  succeeded_deliveries INTEGER NOT NULL DEFAULT 0,
  failed_deliveries    INTEGER NOT NULL DEFAULT 0,
  created_at           INTEGER NOT NULL,
  updated_at           INTEGER NOT NULL
) STRICT;

-- The row that a health check writes.
CREATE TABLE health_probe (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  written_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
  id            TEXT PRIMARY KEY,
  email         TEXT NOT NULL,
  email_folded  TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('user', 'admin')),
  tier          TEXT NOT NULL CHECK (tier IN ('free', 'paid', 'enterprise')),
  status        TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  instance_id   TEXT NOT NULL REFERENCES instances (id),
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;

-- Keys that sign access tokens, and the secret that refresh tokens are derived with.
CREATE TABLE signing_keys (
  kid         TEXT PRIMARY KEY,
  public_jwk  TEXT NOT NULL,
  private_jwk TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  retired_at  INTEGER
) STRICT;

CREATE TABLE server_secrets (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE refresh_tokens (
  hash       BLOB PRIMARY KEY,
  family_id  TEXT NOT NULL,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  rotated_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_by_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

CREATE TABLE api_keys (
  key_id       TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  hash         BLOB NOT NULL UNIQUE,
  prefix       TEXT NOT NULL,
  scopes       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER,
  revoked_at   INTEGER
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, key_id);
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE vaults (
  id                 TEXT PRIMARY KEY,
  user_id            TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  instance_id        TEXT NOT NULL REFERENCES instances (id),
  name               TEXT NOT NULL,
  name_folded        TEXT NOT NULL,
  description        TEXT,
  description_folded TEXT,
  category           TEXT,
  is_active          INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  document_count     INTEGER NOT NULL DEFAULT 0 CHECK (document_count >= 0),
  total_size         INTEGER NOT NULL DEFAULT 0 CHECK (total_size >= 0),
  quota_warned       INTEGER NOT NULL DEFAULT 0 CHECK (quota_warned IN (0, 1)),
  created_at         INTEGER NOT NULL,
  updated_at         INTEGER NOT NULL
) STRICT;
CREATE INDEX vaults_by_created ON vaults (user_id, created_at, id);
CREATE INDEX vaults_by_updated ON vaults (user_id, updated_at, id);
CREATE INDEX vaults_by_name ON vaults (user_id, name_folded, id);
CREATE INDEX vaults_by_count ON vaults (user_id, document_count, id);
CREATE INDEX vaults_by_size ON vaults (user_id, total_size, id);
CREATE INDEX vaults_by_category ON vaults (user_id, category, created_at, id);

CREATE TABLE documents (
  id                  TEXT PRIMARY KEY,
  vault_id            TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
  user_id             TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  file_name           TEXT NOT NULL,
  file_name_folded    TEXT NOT NULL,
  mime_type           TEXT NOT NULL,
  size_bytes          INTEGER NOT NULL CHECK (size_bytes >= 0),
  encryption_metadata TEXT NOT NULL,
  uploaded_at         INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_by_uploaded ON documents (user_id, uploaded_at, id);
CREATE INDEX documents_by_updated ON documents (user_id, updated_at, id);
CREATE INDEX documents_by_name ON documents (user_id, file_name_folded, id);
CREATE INDEX documents_by_size ON documents (user_id, size_bytes, id);
CREATE INDEX documents_of_vault ON documents (vault_id, uploaded_at, id);

-- Ciphertext apart from its description, so that a list never reads it.
CREATE TABLE document_contents (
  document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
  data        BLOB NOT NULL
) STRICT;

CREATE TABLE shares (
  id               TEXT PRIMARY KEY,
  document_id      TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  user_id          TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  instance_id      TEXT NOT NULL REFERENCES instances (id),
  token_hash       BLOB NOT NULL UNIQUE,
  permissions      TEXT NOT NULL,
  access           TEXT NOT NULL CHECK (access IN ('authenticated', 'anyone')),
  expires_at       INTEGER NOT NULL,
  max_access_count INTEGER CHECK (max_access_count > 0),
  access_count     INTEGER NOT NULL DEFAULT 0,
  is_active        INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX shares_of_document ON shares (document_id, created_at, id);
CREATE INDEX shares_by_user ON shares (user_id);
CREATE INDEX shares_by_expiry ON shares (expires_at) WHERE is_active = 1;
CREATE INDEX shares_by_end ON shares (expires_at) WHERE is_active = 0;

-- A consent whose end has passed is stored as granted until the sweeper tells of its expiry.
CREATE TABLE consents (
  id                TEXT PRIMARY KEY,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           TEXT NOT NULL,
  description       TEXT,
  granted_to        TEXT NOT NULL,
  scopes            TEXT,
  status            TEXT NOT NULL CHECK (status IN ('granted', 'revoked', 'expired')),
  granted_at        INTEGER NOT NULL,
  expires_at        INTEGER,
  revoked_at        INTEGER,
  revocation_reason TEXT,
  metadata          TEXT,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX consents_by_created ON consents (user_id, created_at, id);
CREATE INDEX consents_by_updated ON consents (user_id, updated_at, id);
CREATE INDEX consents_by_expiry ON consents (expires_at, id)
  WHERE status = 'granted' AND expires_at IS NOT NULL;

CREATE TABLE webhooks (
  id          TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  instance_id TEXT NOT NULL REFERENCES instances (id),
  url         TEXT NOT NULL,
  events      TEXT NOT NULL,
  secret      TEXT NOT NULL,
  description TEXT,
  headers     TEXT,
  metadata    TEXT,
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_user ON webhooks (user_id, created_at, id);

-- The events of each webhook again, by type: who hears of an event is one look-up.
CREATE TABLE webhook_subscriptions (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  PRIMARY KEY (event_type, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_subscriptions_of_webhook ON webhook_subscriptions (webhook_id);

-- What has been counted since the webhook was registered; retention takes nothing back. Test deliveries
-- do not count.
CREATE TABLE webhook_statistics (
  webhook_id        TEXT PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  total_deliveries  INTEGER NOT NULL DEFAULT 0 CHECK (total_deliveries >= 0),
  failed_deliveries INTEGER NOT NULL DEFAULT 0 CHECK (failed_deliveries BETWEEN 0 AND total_deliveries),
  last_error        TEXT,
  last_error_at     INTEGER,
  last_delivery_at  INTEGER
) STRICT, WITHOUT ROWID;

-- The body is serialised once; every attempt of every delivery sends these bytes.
CREATE TABLE events (
  id          TEXT PRIMARY KEY,
  type        TEXT NOT NULL,
  user_id     TEXT,
  instance_id TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  -- Until then nobody asks whether a delivery still needs it.
  keep_until  INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_end ON events (keep_until);

CREATE TABLE deliveries (
  id              TEXT PRIMARY KEY,
  webhook_id      TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  instance_id     TEXT NOT NULL,
  event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  event_type      TEXT NOT NULL,
  test            INTEGER NOT NULL CHECK (test IN (0, 1)),
  status          TEXT NOT NULL CHECK (status IN ('pending', 'retrying', 'succeeded', 'failed')),
  attempt_number  INTEGER NOT NULL DEFAULT 0,
  status_code     INTEGER,
  duration_ms     INTEGER,
  error           TEXT,
  next_attempt_at INTEGER,
  claimed         INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1)),
  -- How a caller has asked for the attempt that waits: in the place of the next automatic one, once more
  -- after the end, or once more together with all that have failed. NULL: nobody has.
  retry           TEXT CHECK (retry IN ('next', 'once', 'bulk')),
  created_at      INTEGER NOT NULL,
  completed_at    INTEGER
) STRICT;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_attempt_at, id)
  WHERE next_attempt_at IS NOT NULL AND claimed = 0;
-- Few at any moment: what a process has claimed, and so which webhooks are being served.
CREATE INDEX deliveries_claimed ON deliveries (webhook_id) WHERE claimed = 1;
CREATE INDEX deliveries_by_status ON deliveries (webhook_id, test, status);
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_by_completion ON deliveries (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX failed_deliveries ON deliveries (webhook_id, id) WHERE status = 'failed' AND test = 0;
CREATE INDEX bulk_retries ON deliveries (webhook_id) WHERE retry = 'bulk';

CREATE TABLE delivery_attempts (
  delivery_id    TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  attempt_number INTEGER NOT NULL,
  started_at     INTEGER NOT NULL,
  status_code    INTEGER,
  duration_ms    INTEGER NOT NULL,
  error          TEXT,
  response_body  TEXT,
  manual         INTEGER NOT NULL DEFAULT 0 CHECK (manual IN (0, 1)),
  PRIMARY KEY (delivery_id, attempt_number)
) STRICT, WITHOUT ROWID;

-- What an instance holds. Triggers count, so that a row which goes because its account or vault goes
-- is counted too. Documents are counted by way of their vault: a vault with a million of them costs one
-- change. Rows beneath an account name the instance themselves, since theirs goes before they do.

CREATE TRIGGER count_new_vault AFTER INSERT ON vaults BEGIN
  UPDATE instances SET vaults = vaults + 1, documents = documents + NEW.document_count
  WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_vault_documents AFTER UPDATE OF document_count ON vaults BEGIN
  UPDATE instances SET documents = documents + NEW.document_count - OLD.document_count
  WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_gone_vault AFTER DELETE ON vaults BEGIN
  UPDATE instances SET vaults = vaults - 1, documents = documents - OLD.document_count
  WHERE id = OLD.instance_id;
END;

-- A share is usable while it is neither revoked nor spent, and never again once it was either. Whether it
-- has expired is for the reader to say.
CREATE TRIGGER count_new_share AFTER INSERT ON shares
  WHEN NEW.is_active = 1 AND (NEW.max_access_count IS NULL OR NEW.access_count < NEW.max_access_count)
BEGIN
  UPDATE instances SET usable_shares = usable_shares + 1 WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_unusable_share AFTER UPDATE OF is_active, access_count ON shares
  WHEN OLD.is_active = 1 AND (OLD.max_access_count IS NULL OR OLD.access_count < OLD.max_access_count)
    AND NOT (NEW.is_active = 1 AND (NEW.max_access_count IS NULL OR NEW.access_count < NEW.max_access_count))
BEGIN
  UPDATE instances SET usable_shares = usable_shares - 1 WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_gone_share AFTER DELETE ON shares
  WHEN OLD.is_active = 1 AND (OLD.max_access_count IS NULL OR OLD.access_count < OLD.max_access_count)
BEGIN
  UPDATE instances SET usable_shares = usable_shares - 1 WHERE id = OLD.instance_id;
END;

CREATE TRIGGER count_new_webhook AFTER INSERT ON webhooks BEGIN
  UPDATE instances SET webhooks = webhooks + 1 WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_gone_webhook AFTER DELETE ON webhooks BEGIN
  UPDATE instances SET webhooks = webhooks - 1 WHERE id = OLD.instance_id;
END;

CREATE TRIGGER count_new_delivery AFTER INSERT ON deliveries WHEN NEW.test = 0 BEGIN
  UPDATE instances SET
    pending_deliveries = pending_deliveries + (NEW.status = 'pending'),
    retrying_deliveries = retrying_deliveries + (NEW.status = 'retrying'),
    succeeded_deliveries = succeeded_deliveries + (NEW.status = 'succeeded'),
    failed_deliveries = failed_deliveries + (NEW.status = 'failed')
  WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_changed_delivery AFTER UPDATE OF status ON deliveries
  WHEN NEW.test = 0 AND NEW.status <> OLD.status
BEGIN
  UPDATE instances SET
    pending_deliveries = pending_deliveries + (NEW.status = 'pending') - (OLD.status = 'pending'),
    retrying_deliveries = retrying_deliveries + (NEW.status = 'retrying') - (OLD.status = 'retrying'),
    succeeded_deliveries = succeeded_deliveries + (NEW.status = 'succeeded') - (OLD.status = 'succeeded'),
    failed_deliveries = failed_deliveries + (NEW.status = 'failed') - (OLD.status = 'failed')
  WHERE id = NEW.instance_id;
END;
CREATE TRIGGER count_gone_delivery AFTER DELETE ON deliveries WHEN OLD.test = 0 BEGIN
  UPDATE instances SET
    pending_deliveries = pending_deliveries - (OLD.status = 'pending'),
    retrying_deliveries = retrying_deliveries - (OLD.status = 'retrying'),
    succeeded_deliveries = succeeded_deliveries - (OLD.status = 'succeeded'),
    failed_deliveries = failed_deliveries - (OLD.status = 'failed')
  WHERE id = OLD.instance_id;
END;

CREATE TABLE idempotency_outcomes (
  user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method       TEXT NOT NULL,
  path         TEXT NOT NULL,
  key_hash     BLOB NOT NULL,
  request_hash BLOB NOT NULL,
  status       INTEGER NOT NULL,
  body         BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (user_id, method, path, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_outcomes_by_created ON idempotency_outcomes (created_at);
