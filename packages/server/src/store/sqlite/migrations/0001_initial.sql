-- Times are epoch milliseconds, flags are 0 or 1, lists and free-form objects are JSON text.
-- held_bytes: the bytes that a row counts against its account.
-- A *_folded column contains the case-folded text of its neighbour, for search and for sorting by name.

-- No counts: every account would write this row. They are sums over account_usage and current_webhook_statistics.
CREATE TABLE instances (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  name_folded  TEXT NOT NULL,
  region       TEXT NOT NULL,
  version      TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('healthy', 'degraded')),
  is_active    INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  quota_bytes  INTEGER NOT NULL CHECK (quota_bytes >= 0),
  quota_warned INTEGER NOT NULL DEFAULT 0 CHECK (quota_warned IN (0, 1)),
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;

-- Figures of each instance by hour, kept for 90 days. Each server adds what it has counted once a minute.
CREATE TABLE instance_history (
  instance_id TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
  hour        INTEGER NOT NULL,
  -- When the hour was first recorded.
  documents   INTEGER NOT NULL,
  used_bytes  INTEGER NOT NULL,
  requests    INTEGER NOT NULL,
  -- Deliveries that ended.
  succeeded   INTEGER NOT NULL,
  failed      INTEGER NOT NULL,
  PRIMARY KEY (instance_id, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX instance_history_by_hour ON instance_history (hour, instance_id);

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

CREATE INDEX administrators ON users (id) WHERE role = 'admin';

-- What an account stores, for its limits, its lists and the sums over an instance. The statements that insert
-- vaults and documents count them. Triggers count everything else, because deleting one row can delete many
-- others.
CREATE TABLE account_usage (
  user_id           TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  instance_id       TEXT NOT NULL,
  -- The held_bytes of all its rows, with contents that are deleted and not erased yet; and the size_bytes of its
  -- documents alone.
  bytes             INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  total_size        INTEGER NOT NULL DEFAULT 0 CHECK (total_size >= 0),
  vaults            INTEGER NOT NULL DEFAULT 0 CHECK (vaults >= 0),
  inactive_vaults   INTEGER NOT NULL DEFAULT 0 CHECK (inactive_vaults >= 0),
  documents         INTEGER NOT NULL DEFAULT 0 CHECK (documents >= 0),
  shares            INTEGER NOT NULL DEFAULT 0 CHECK (shares >= 0),
  usable_shares     INTEGER NOT NULL DEFAULT 0 CHECK (usable_shares >= 0),
  consents          INTEGER NOT NULL DEFAULT 0 CHECK (consents >= 0),
  keys              INTEGER NOT NULL DEFAULT 0 CHECK (keys >= 0),
  webhooks          INTEGER NOT NULL DEFAULT 0 CHECK (webhooks >= 0),
  uploads           INTEGER NOT NULL DEFAULT 0 CHECK (uploads >= 0),
  clients           INTEGER NOT NULL DEFAULT 0 CHECK (clients >= 0),
  -- Grow with every change of a vault that its lists filter or sort by, and of a document.
  vault_revision    INTEGER NOT NULL DEFAULT 0,
  document_revision INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TRIGGER users_usage_in AFTER INSERT ON users BEGIN
  INSERT INTO account_usage (user_id, instance_id) VALUES (NEW.id, NEW.instance_id);
END;
-- Runs before the rows of the account are deleted, so that none of them writes a counter.
CREATE TRIGGER users_usage_out BEFORE DELETE ON users BEGIN
  DELETE FROM account_usage WHERE user_id = OLD.id;
END;

-- Columns of secrets (store/sealing.ts lists them) contain BLOBs. The first byte is the form: plain or sealed.
-- This row exists while one master key seals all of them.
CREATE TABLE sealing (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  key_id       TEXT NOT NULL,
  -- Whether free space in the file may still contain earlier forms of the secrets.
  has_remnants INTEGER NOT NULL CHECK (has_remnants IN (0, 1))
) STRICT;

-- The mode of the last server that used the database.
CREATE TABLE server_mode (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  mode TEXT NOT NULL CHECK (mode IN ('development', 'production'))
) STRICT;

-- Keys that sign access tokens.
CREATE TABLE signing_keys (
  kid         TEXT PRIMARY KEY,
  public_jwk  TEXT NOT NULL,
  private_jwk BLOB NOT NULL,
  created_at  INTEGER NOT NULL,
  -- The key signs from this moment until that of the next key.
  signs_from  INTEGER NOT NULL UNIQUE
) STRICT;

-- The account whose password and API key a development server printed, with its first password.
CREATE TABLE development_account (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key_id        TEXT NOT NULL,
  password_hash TEXT NOT NULL
) STRICT;
CREATE INDEX development_account_of_user ON development_account (user_id);

-- Secrets of this server by name: refresh tokens are derived with one of them.
CREATE TABLE server_secrets (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- One row per login. Access tokens name it in `sid`, so that a session ends at the next request.
CREATE TABLE sessions (
  id           TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  -- Written at most once a minute, with the address and user agent of that use.
  last_used_at INTEGER NOT NULL,
  -- When its newest refresh token expires.
  expires_at   INTEGER NOT NULL,
  ip_address   TEXT NOT NULL,
  user_agent   TEXT,
  ended_at     INTEGER
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id, ended_at);
CREATE INDEX live_sessions ON sessions (user_id, created_at, id, expires_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE refresh_tokens (
  hash       BLOB PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  rotated_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Networks that accounts have signed in from. Failed logins from elsewhere do not block logins from these.
CREATE TABLE login_places (
  user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network       TEXT NOT NULL,
  last_login_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_places_of_user_by_login ON login_places (user_id, last_login_at DESC, network);
CREATE INDEX login_places_by_login ON login_places (last_login_at);

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
  revoked_at   INTEGER,
  held_bytes   INTEGER NOT NULL GENERATED ALWAYS AS (
    octet_length(name) + octet_length(scopes)
  ) VIRTUAL
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, key_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_name ON api_keys (user_id, name, key_id) WHERE revoked_at IS NULL;
CREATE INDEX all_api_keys_by_created ON api_keys (created_at, key_id) WHERE revoked_at IS NULL;
CREATE INDEX all_api_keys_by_name ON api_keys (name, key_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- Applications that are registered for OAuth 2.0.
CREATE TABLE oauth_clients (
  id                         TEXT PRIMARY KEY,
  user_id                    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name                       TEXT NOT NULL,
  -- Whether an administrator has confirmed who owns the client.
  verified                   INTEGER NOT NULL CHECK (verified IN (0, 1)),
  type                       TEXT NOT NULL CHECK (type IN ('confidential', 'public')),
  redirect_uris              TEXT NOT NULL,
  scopes                     TEXT NOT NULL,
  grant_types                TEXT NOT NULL,
  token_endpoint_auth_method TEXT NOT NULL CHECK (
    token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')
  ),
  -- Public keys alone.
  jwks                       TEXT,
  require_par                INTEGER NOT NULL CHECK (require_par IN (0, 1)),
  disabled                   INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  -- Whether an administrator has disabled the client: its owner cannot enable it.
  locked                     INTEGER NOT NULL CHECK (locked IN (0, 1)),
  -- SHA-256. NULL: the client has no secret.
  secret_hash                BLOB,
  -- The secret before the last rotation, valid until previous_secret_until.
  previous_secret_hash       BLOB,
  previous_secret_until      INTEGER,
  -- Increases when the account ends its credentials. Tokens of client credentials contain it.
  credentials_version        INTEGER NOT NULL,
  -- When the name or the redirect URIs changed. Users who approved the client before are asked again.
  identity_changed_at        INTEGER NOT NULL,
  created_at                 INTEGER NOT NULL,
  updated_at                 INTEGER NOT NULL,
  held_bytes                 INTEGER NOT NULL GENERATED ALWAYS AS (
    octet_length(name) + octet_length(redirect_uris) + octet_length(scopes) + octet_length(grant_types)
    + COALESCE(octet_length(jwks), 0)
  ) VIRTUAL
) STRICT;
CREATE INDEX oauth_clients_by_created ON oauth_clients (user_id, created_at, id);
CREATE INDEX oauth_clients_by_name ON oauth_clients (user_id, name, id);
CREATE INDEX all_oauth_clients_by_created ON oauth_clients (created_at, id);
CREATE INDEX all_oauth_clients_by_name ON oauth_clients (name, id);
CREATE INDEX oauth_clients_by_previous_secret ON oauth_clients (previous_secret_until)
  WHERE previous_secret_until IS NOT NULL;

CREATE TABLE vaults (
  -- The order of creation, and the row id in the search index. It increases without gaps and is never reused.
  number             INTEGER PRIMARY KEY AUTOINCREMENT,
  id                 TEXT NOT NULL UNIQUE,
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
  -- The held_bytes, shares and usable shares of its documents. Triggers maintain them, so that deleting
  -- the vault does not read its documents.
  document_bytes     INTEGER NOT NULL DEFAULT 0 CHECK (document_bytes >= 0),
  shares             INTEGER NOT NULL DEFAULT 0 CHECK (shares >= 0),
  usable_shares      INTEGER NOT NULL DEFAULT 0 CHECK (usable_shares >= 0),
  quota_warned       INTEGER NOT NULL DEFAULT 0 CHECK (quota_warned IN (0, 1)),
  created_at         INTEGER NOT NULL,
  updated_at         INTEGER NOT NULL,
  held_bytes         INTEGER NOT NULL GENERATED ALWAYS AS (
    octet_length(name) + COALESCE(octet_length(description), 0)
    + COALESCE(octet_length(category), 0)
  ) VIRTUAL
) STRICT;
-- One index per order of an account's vaults. The last columns let a scan filter without reading rows.
CREATE INDEX vaults_by_created ON vaults (user_id, created_at, id, category, is_active);
CREATE INDEX vaults_by_updated ON vaults (user_id, updated_at, id, category, is_active);
CREATE INDEX vaults_by_name ON vaults (user_id, name_folded, id, category, is_active);
CREATE INDEX vaults_by_count ON vaults (user_id, document_count, id, category, is_active);
CREATE INDEX vaults_by_size ON vaults (user_id, total_size, id, category, is_active);
-- For filters that match few vaults.
CREATE INDEX vaults_by_category ON vaults (category, user_id, is_active) WHERE category IS NOT NULL;
CREATE INDEX inactive_vaults ON vaults (user_id, category) WHERE is_active = 0;
-- The primary key is the default order of all vaults. Other orders of all vaults are sorted.

CREATE TABLE documents (
  -- Like vaults.number.
  number              INTEGER PRIMARY KEY AUTOINCREMENT,
  id                  TEXT NOT NULL UNIQUE,
  -- No foreign keys: documents of a deleted vault or account are erased later, see erasures.
  vault_id            TEXT NOT NULL,
  user_id             TEXT NOT NULL,
  file_name           TEXT NOT NULL,
  file_name_folded    TEXT NOT NULL,
  mime_type           TEXT NOT NULL,
  size_bytes          INTEGER NOT NULL CHECK (size_bytes >= 0),
  encryption_metadata TEXT NOT NULL,
  content_store       TEXT NOT NULL CHECK (content_store IN ('database', 's3')),
  -- SHA-256 of the content. For a content of parts: of the SHA-256 of its parts, one after the other.
  content_digest      BLOB NOT NULL CHECK (length(content_digest) = 32),
  -- Size of every part but the last. NULL: one request stored the content.
  content_part_bytes  INTEGER CHECK (content_part_bytes > 0),
  uploaded_at         INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  held_bytes          INTEGER NOT NULL GENERATED ALWAYS AS (
    size_bytes + octet_length(file_name) + octet_length(mime_type)
    + octet_length(encryption_metadata)
  ) VIRTUAL
) STRICT;
-- One index per order of an account's documents and of a vault's. The last column lets a scan filter without
-- reading rows.
CREATE INDEX documents_by_uploaded ON documents (user_id, uploaded_at, id, mime_type);
CREATE INDEX documents_by_updated ON documents (user_id, updated_at, id, mime_type);
CREATE INDEX documents_by_name ON documents (user_id, file_name_folded, id, mime_type);
CREATE INDEX documents_by_size ON documents (user_id, size_bytes, id, mime_type);
CREATE INDEX documents_of_vault_by_uploaded ON documents (vault_id, uploaded_at, id, mime_type);
CREATE INDEX documents_of_vault_by_updated ON documents (vault_id, updated_at, id, mime_type);
CREATE INDEX documents_of_vault_by_name ON documents (vault_id, file_name_folded, id, mime_type);
CREATE INDEX documents_of_vault_by_size ON documents (vault_id, size_bytes, id, mime_type);
-- For media types of few documents: of all accounts, of an account, of a vault.
CREATE INDEX documents_by_type ON documents (mime_type, user_id, vault_id);
-- The primary key is the default order of all documents. Other orders of all documents are sorted.

-- The keyring of an account. All of it but the version is opaque: clients encrypt it.
CREATE TABLE keyrings (
  user_id     TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  version     INTEGER NOT NULL CHECK (version >= 1),
  public_key  TEXT NOT NULL,
  private_key TEXT NOT NULL,
  unlockers   TEXT NOT NULL,
  held_bytes  INTEGER NOT NULL GENERATED ALWAYS AS (
    octet_length(public_key) + octet_length(private_key) + octet_length(unlockers)
  ) VIRTUAL
) STRICT;

-- The keys of a vault, encrypted by the client of its owner.
CREATE TABLE vault_keys (
  vault_id   TEXT PRIMARY KEY REFERENCES vaults (id) ON DELETE CASCADE,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  version    INTEGER NOT NULL CHECK (version >= 1),
  generation INTEGER NOT NULL CHECK (generation >= 1),
  -- NULL: the keys are lost, because the account has replaced its keyring.
  sealed     TEXT,
  held_bytes INTEGER NOT NULL GENERATED ALWAYS AS (COALESCE(octet_length(sealed), 0)) VIRTUAL
) STRICT;
CREATE INDEX vault_keys_by_user ON vault_keys (user_id, vault_id);

-- The vaults of an account by category, so that reading a list counts nothing.
CREATE TABLE vault_categories (
  user_id  TEXT NOT NULL,
  category TEXT NOT NULL,
  active   INTEGER NOT NULL CHECK (active >= 0),
  inactive INTEGER NOT NULL CHECK (inactive >= 0),
  PRIMARY KEY (user_id, category)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vaults_categorize_out AFTER DELETE ON vaults WHEN OLD.category IS NOT NULL BEGIN
  UPDATE vault_categories SET active = active - OLD.is_active, inactive = inactive - (1 - OLD.is_active)
  WHERE user_id = OLD.user_id AND category = OLD.category;
  DELETE FROM vault_categories
  WHERE user_id = OLD.user_id AND category = OLD.category AND active = 0 AND inactive = 0;
END;
CREATE TRIGGER vaults_categorize_over AFTER UPDATE OF category, is_active ON vaults
WHEN OLD.category IS NOT NEW.category OR OLD.is_active <> NEW.is_active BEGIN
  UPDATE vault_categories SET active = active - OLD.is_active, inactive = inactive - (1 - OLD.is_active)
  WHERE user_id = OLD.user_id AND category = OLD.category;
  INSERT INTO vault_categories (user_id, category, active, inactive)
  SELECT NEW.user_id, NEW.category, NEW.is_active, 1 - NEW.is_active WHERE NEW.category IS NOT NULL
  ON CONFLICT (user_id, category)
    DO UPDATE SET active = active + excluded.active, inactive = inactive + excluded.inactive;
  DELETE FROM vault_categories
  WHERE user_id = OLD.user_id AND category = OLD.category AND active = 0 AND inactive = 0;
END;

-- The documents of an account by media type and vault. Documents of deleted vaults are counted until they
-- are erased: readers skip the vaults of erasures.
CREATE TABLE document_types (
  user_id   TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  vault_id  TEXT NOT NULL,
  documents INTEGER NOT NULL CHECK (documents >= 0),
  PRIMARY KEY (user_id, mime_type, vault_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER documents_type_out AFTER DELETE ON documents BEGIN
  UPDATE document_types SET documents = documents - 1
  WHERE user_id = OLD.user_id AND mime_type = OLD.mime_type AND vault_id = OLD.vault_id;
  DELETE FROM document_types
  WHERE user_id = OLD.user_id AND mime_type = OLD.mime_type AND vault_id = OLD.vault_id AND documents = 0;
END;
CREATE TRIGGER documents_type_over AFTER UPDATE OF mime_type, vault_id ON documents
WHEN OLD.mime_type <> NEW.mime_type OR OLD.vault_id <> NEW.vault_id BEGIN
  UPDATE document_types SET documents = documents - 1
  WHERE user_id = OLD.user_id AND mime_type = OLD.mime_type AND vault_id = OLD.vault_id;
  DELETE FROM document_types
  WHERE user_id = OLD.user_id AND mime_type = OLD.mime_type AND vault_id = OLD.vault_id AND documents = 0;
  INSERT INTO document_types (user_id, mime_type, vault_id, documents)
  VALUES (NEW.user_id, NEW.mime_type, NEW.vault_id, 1)
  ON CONFLICT (user_id, mime_type, vault_id) DO UPDATE SET documents = documents + 1;
END;

-- Deleted vaults whose documents wait to be erased, in small steps (repositories/erasures.ts). No reader finds
-- these documents.
CREATE TABLE erasures (
  -- The order of erasing; never reused.
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id of the vault.
  scope   TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL
) STRICT;
CREATE INDEX erasures_of_user ON erasures (user_id, number);

CREATE TRIGGER vaults_erase AFTER DELETE ON vaults BEGIN
  INSERT INTO erasures (scope, user_id)
  SELECT OLD.id, OLD.user_id WHERE EXISTS (SELECT 1 FROM documents WHERE vault_id = OLD.id);
END;

-- The trigrams of folded names. Insertions index rows in groups of 128, at a tenth of the cost of single rows
-- (sqlite/dialect.ts). A search reads the rows of the last, incomplete group directly. The index contains the ends of the
-- owners' ids, so that rows of other accounts do not slow a search, and the number of the slice of 65,536 rows, so that
-- a search of a long list can look at one slice after the other.
CREATE VIRTUAL TABLE vault_search USING fts5 (
  name, description, owner, slice,
  content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
CREATE TRIGGER vaults_search_out AFTER DELETE ON vaults BEGIN
  DELETE FROM vault_search WHERE rowid = OLD.number;
END;
CREATE TRIGGER vaults_search_over AFTER UPDATE OF name_folded, description_folded ON vaults
WHEN OLD.name_folded <> NEW.name_folded OR OLD.description_folded IS NOT NEW.description_folded BEGIN
  UPDATE vault_search
  SET name = NEW.name_folded, description = NEW.description_folded, owner = substr(NEW.user_id, -3),
    slice = printf('%03x', OLD.number >> 16)
  WHERE rowid = OLD.number;
END;

CREATE VIRTUAL TABLE document_search USING fts5 (
  name, owner, vault, slice,
  content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
CREATE TRIGGER documents_search_out AFTER DELETE ON documents BEGIN
  DELETE FROM document_search WHERE rowid = OLD.number;
END;
CREATE TRIGGER documents_search_over AFTER UPDATE OF file_name_folded, vault_id ON documents
WHEN OLD.file_name_folded <> NEW.file_name_folded OR OLD.vault_id <> NEW.vault_id BEGIN
  UPDATE document_search
  SET name = NEW.file_name_folded, owner = substr(NEW.user_id, -3), vault = substr(NEW.vault_id, -3),
    slice = printf('%03x', OLD.number >> 16)
  WHERE rowid = OLD.number;
END;

-- Ciphertexts, in a table of their own so that a list never reads them. Each attempt to store a part has its own
-- rows. Attempt 0 is the content of one request. A row has 128 KiB, because SQLite copies it twice while writing it,
-- and a response that is not read keeps two of them in memory. Other sizes from 64 KiB to 1 MiB cost the same.
CREATE TABLE document_contents (
  document_id TEXT NOT NULL,
  attempt     INTEGER NOT NULL,
  piece       INTEGER NOT NULL CHECK (piece >= 0),
  data        BLOB NOT NULL,
  PRIMARY KEY (document_id, attempt, piece)
) STRICT;

-- Attempts to store parts of contents. The part that counts has a digest.
CREATE TABLE content_parts (
  -- The attempt; never reused.
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL,
  part        INTEGER NOT NULL CHECK (part >= 0),
  size_bytes  INTEGER NOT NULL CHECK (size_bytes >= 0),
  -- SHA-256. NULL while the part is written, and after its process was killed.
  digest      BLOB CHECK (length(digest) = 32),
  -- The tag of the part in the object store; NULL in the database.
  etag        TEXT,
  -- When the last bytes of an attempt were stored.
  written_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX stored_parts ON content_parts (document_id, part) WHERE digest IS NOT NULL;
CREATE INDEX parts_of_content ON content_parts (document_id);
CREATE INDEX unfinished_parts ON content_parts (written_at) WHERE digest IS NULL;

-- Contents without a document, in the order of their erasing. Erasing a large one takes many steps. An upload in
-- parts, and a large one of one request, are stored in steps before their document: the content waits for the
-- document until due_at.
CREATE TABLE content_erasures (
  number      INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL UNIQUE,
  due_at      INTEGER NOT NULL DEFAULT 0,
  -- The bytes of a deleted content, which count against its account until they are erased.
  user_id     TEXT,
  held_bytes  INTEGER NOT NULL DEFAULT 0 CHECK (held_bytes >= 0)
) STRICT;
CREATE TRIGGER meter_new_erasure AFTER INSERT ON content_erasures WHEN NEW.held_bytes > 0 BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_changed_erasure AFTER UPDATE OF held_bytes ON content_erasures
WHEN NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_gone_erasure AFTER DELETE ON content_erasures WHEN OLD.held_bytes > 0 BEGIN
  UPDATE account_usage SET bytes = bytes - OLD.held_bytes WHERE user_id = OLD.user_id;
END;

-- Contents in an object store: one object each. The row is committed before the object is stored.
CREATE TABLE content_objects (
  -- Without the prefix of the configuration.
  object_key  TEXT PRIMARY KEY,
  document_id TEXT NOT NULL,
  -- The multipart upload. NULL before its first part, and for a content of one request.
  upload_id   TEXT,
  -- 'open' takes parts, 'complete' waits for its document, 'taken' has one. 'aborted': the upload is aborted once
  -- more, because parts that were being sent can arrive after the first time.
  state       TEXT NOT NULL CHECK (state IN ('open', 'complete', 'taken', 'aborted')),
  -- When the sweeper removes the object. NULL while it has a document or waits for it.
  due_at      INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX objects_of_documents ON content_objects (document_id) WHERE due_at IS NULL;
CREATE INDEX due_objects ON content_objects (due_at, object_key) WHERE due_at IS NOT NULL;

CREATE TRIGGER documents_erase AFTER DELETE ON documents BEGIN
  INSERT INTO content_erasures (document_id, user_id, held_bytes) VALUES (OLD.id, OLD.user_id, OLD.size_bytes);
END;

-- Open uploads in parts. Their declared bytes are reserved: they count in account_usage.bytes, and against the
-- quota of the vault.
CREATE TABLE uploads (
  -- The id of the later document.
  id         TEXT PRIMARY KEY,
  vault_id   TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  size_bytes INTEGER NOT NULL CHECK (size_bytes > 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_of_vault ON uploads (vault_id, size_bytes);
CREATE INDEX uploads_of_user ON uploads (user_id);
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

-- Ids of documents and uploads that were deleted, without their account. Clients can make ids: none is used twice,
-- because a ciphertext is bound to the id of its document.
CREATE TABLE used_ids (
  id BLOB PRIMARY KEY CHECK (octet_length(id) = 16)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER uploads_usage_in AFTER INSERT ON uploads BEGIN
  UPDATE account_usage SET uploads = uploads + 1, bytes = bytes + NEW.size_bytes WHERE user_id = NEW.user_id;
END;
-- The content of an upload whose vault or account was deleted is erased with the next sweep.
CREATE TRIGGER uploads_out AFTER DELETE ON uploads BEGIN
  UPDATE account_usage SET uploads = uploads - 1, bytes = bytes - OLD.size_bytes WHERE user_id = OLD.user_id;
  UPDATE content_erasures SET due_at = 0, user_id = OLD.user_id, held_bytes = (
    SELECT COALESCE(SUM(size_bytes), 0) FROM content_parts WHERE document_id = OLD.id
  ) WHERE document_id = OLD.id;
  INSERT INTO used_ids (id) VALUES (unhex(OLD.id, '-')) ON CONFLICT (id) DO NOTHING;
END;
-- A client can send no other ids than UUIDs.
CREATE TRIGGER documents_use_id AFTER DELETE ON documents WHEN octet_length(unhex(OLD.id, '-')) = 16 BEGIN
  INSERT INTO used_ids (id) VALUES (unhex(OLD.id, '-')) ON CONFLICT (id) DO NOTHING;
END;

CREATE TABLE shares (
  id               TEXT PRIMARY KEY,
  document_id      TEXT NOT NULL REFERENCES documents (id),
  -- No foreign key, like documents.user_id.
  user_id          TEXT NOT NULL,
  instance_id      TEXT NOT NULL REFERENCES instances (id),
  token_hash       BLOB NOT NULL UNIQUE,
  permissions      TEXT NOT NULL,
  access           TEXT NOT NULL CHECK (access IN ('authenticated', 'anyone')),
  expires_at       INTEGER NOT NULL,
  max_access_count INTEGER CHECK (max_access_count > 0),
  access_count     INTEGER NOT NULL DEFAULT 0,
  -- Id of the grant, or of the client without one, whose end also ends this share. NULL: no app made it.
  access_id        TEXT,
  is_active        INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at       INTEGER NOT NULL
) STRICT;
-- Runs before the document is deleted, because the triggers of shares find the vault through it.
CREATE TRIGGER documents_unshare BEFORE DELETE ON documents BEGIN
  DELETE FROM shares WHERE document_id = OLD.id;
END;
CREATE INDEX shares_of_document ON shares (document_id, created_at, id);
CREATE INDEX shares_of_document_by_expiry ON shares (document_id, expires_at, id);
CREATE INDEX shares_by_expiry ON shares (expires_at) WHERE is_active = 1;
CREATE INDEX shares_by_end ON shares (expires_at) WHERE is_active = 0;
CREATE INDEX shares_of_access ON shares (access_id) WHERE access_id IS NOT NULL;

-- Who opened a share. Kept for 90 days. The oldest go first, so that the counts of a share's rows have no gaps.
CREATE TABLE share_accesses (
  share_id     TEXT NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  -- The access count of the share, this access included.
  access_count INTEGER NOT NULL CHECK (access_count > 0),
  accessed_at  INTEGER NOT NULL,
  ip_address   TEXT NOT NULL,
  user_agent   TEXT,
  PRIMARY KEY (share_id, access_count)
) STRICT, WITHOUT ROWID;
CREATE INDEX share_accesses_by_time ON share_accesses (accessed_at);

-- An expired consent is stored as granted until the sweeper emits its event.
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
  updated_at        INTEGER NOT NULL,
  -- The app that it gives access to, also after the app was deleted. NULL: it concerns no app.
  client_id         TEXT,
  held_bytes        INTEGER NOT NULL GENERATED ALWAYS AS (
    octet_length(purpose) + COALESCE(octet_length(description), 0) + octet_length(granted_to)
    + COALESCE(octet_length(scopes), 0) + COALESCE(octet_length(revocation_reason), 0)
    + COALESCE(octet_length(metadata), 0)
  ) VIRTUAL
) STRICT;
CREATE INDEX consents_by_created ON consents (user_id, created_at, id);
CREATE INDEX consents_by_updated ON consents (user_id, updated_at, id);
CREATE INDEX all_consents_by_created ON consents (created_at, id);
CREATE INDEX all_consents_by_updated ON consents (updated_at, id);
CREATE INDEX consents_of_client ON consents (client_id, user_id)
  WHERE client_id IS NOT NULL AND status = 'granted';
CREATE INDEX consents_by_expiry ON consents (expires_at, id)
  WHERE status = 'granted' AND expires_at IS NOT NULL;

-- The access of one sign-in of an app, until its consent ends. Several devices are several grants.
CREATE TABLE oauth_grants (
  id         TEXT PRIMARY KEY,
  -- No foreign key: the grants of a deleted client are removed later, see oauth_client_erasures.
  client_id  TEXT NOT NULL,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  consent_id TEXT NOT NULL REFERENCES consents (id) ON DELETE CASCADE,
  scopes     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- When its newest refresh token expires.
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_of_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_of_consent ON oauth_grants (consent_id);
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);
CREATE INDEX oauth_grants_by_revocation ON oauth_grants (revoked_at) WHERE revoked_at IS NOT NULL;

-- Deleted clients whose consents and grants wait to be ended, in small steps. Their access has ended.
CREATE TABLE oauth_client_erasures (
  client_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER oauth_clients_erase AFTER DELETE ON oauth_clients BEGIN
  INSERT INTO oauth_client_erasures (client_id) VALUES (OLD.id) ON CONFLICT (client_id) DO NOTHING;
END;

-- Codes, refresh tokens, requests and sign-ins of OAuth, by digests of the values that clients present.
CREATE TABLE oauth_artifacts (
  -- SHA-256 of kind and id.
  id_hash     BLOB PRIMARY KEY,
  kind        TEXT NOT NULL,
  -- SHA-256 of a second key, such as the code that a user enters.
  lookup_hash BLOB,
  grant_id    TEXT REFERENCES oauth_grants (id) ON DELETE CASCADE,
  session_id  TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  payload     BLOB NOT NULL,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  consumed_at INTEGER,
  -- The last time that a device asked for its token, and how long it must wait in between. In milliseconds.
  polled_at     INTEGER,
  poll_interval INTEGER
) STRICT;
CREATE INDEX oauth_artifacts_by_lookup ON oauth_artifacts (lookup_hash, created_at)
  WHERE lookup_hash IS NOT NULL;
CREATE INDEX oauth_artifacts_of_grant ON oauth_artifacts (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_artifacts_of_session ON oauth_artifacts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX oauth_artifacts_by_expiry ON oauth_artifacts (expires_at);

CREATE TABLE webhooks (
  id          TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  instance_id TEXT NOT NULL REFERENCES instances (id),
  url         TEXT NOT NULL,
  events      TEXT NOT NULL,
  -- NULL once its master key is lost.
  secret      BLOB,
  -- Signs attempts too until it expires, after a rotation. It stays until the next change.
  previous_secret            BLOB,
  previous_secret_expires_at INTEGER,
  description TEXT,
  headers     BLOB,
  metadata    TEXT,
  -- Whose events it receives. Set to 'own' when its account stops being an active administrator.
  accounts    TEXT NOT NULL DEFAULT 'own' CHECK (accounts IN ('own', 'all')),
  -- Whether deliveries may be left that it may not have any more: it was 'all', or its app has lost a scope.
  narrowed    INTEGER NOT NULL DEFAULT 0 CHECK (narrowed IN (0, 1)),
  -- Id of the grant, or of the client without one, whose end also ends this webhook. NULL: no app chose its URL.
  access_id   TEXT,
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  -- Headers count as plain text: without the byte of the form, and without the 36 bytes that sealing adds.
  held_bytes  INTEGER NOT NULL GENERATED ALWAYS AS (
    octet_length(url) + octet_length(events) + COALESCE(octet_length(description), 0)
    + COALESCE(octet_length(headers) - CASE substr(headers, 1, 1) WHEN x'01' THEN 37 ELSE 1 END, 0)
    + COALESCE(octet_length(metadata), 0)
  ) VIRTUAL,
  CHECK (active = 0 OR secret IS NOT NULL)
) STRICT;
CREATE INDEX webhooks_by_user ON webhooks (user_id, created_at, id);
CREATE INDEX webhooks_by_updated ON webhooks (user_id, updated_at, id);
CREATE INDEX all_webhooks_by_created ON webhooks (created_at, id);
CREATE INDEX all_webhooks_by_updated ON webhooks (updated_at, id);
CREATE INDEX narrowed_webhooks ON webhooks (id) WHERE narrowed = 1;
CREATE INDEX webhooks_of_access ON webhooks (access_id) WHERE access_id IS NOT NULL;

-- The events of each webhook, indexed by type and account. Finding the webhooks of an event is one look-up
-- and does not depend on the webhooks of other accounts.
CREATE TABLE webhook_subscriptions (
  event_type TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  PRIMARY KEY (event_type, user_id, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_subscriptions_of_webhook ON webhook_subscriptions (webhook_id);

-- Counts since the webhook was registered, without test deliveries. Retention does not reduce them.
-- queued_deliveries and finished_deliveries count the existing rows for the limits, test deliveries
-- included. The counts of existing rows have no CHECK: a wrong count must not prevent recording or removing
-- a delivery.
CREATE TABLE webhook_statistics (
  webhook_id          TEXT PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  total_deliveries    INTEGER NOT NULL DEFAULT 0 CHECK (total_deliveries >= 0),
  failed_deliveries   INTEGER NOT NULL DEFAULT 0 CHECK (failed_deliveries BETWEEN 0 AND total_deliveries),
  dropped_deliveries  INTEGER NOT NULL DEFAULT 0 CHECK (dropped_deliveries >= 0),
  -- The existing deliveries by status, without test deliveries.
  pending             INTEGER NOT NULL DEFAULT 0,
  retrying            INTEGER NOT NULL DEFAULT 0,
  succeeded           INTEGER NOT NULL DEFAULT 0,
  failed              INTEGER NOT NULL DEFAULT 0,
  -- Deliveries that have never ended.
  queued_deliveries   INTEGER NOT NULL DEFAULT 0,
  -- Deliveries that have ended, including those that a retry by hand has reopened.
  finished_deliveries INTEGER NOT NULL DEFAULT 0,
  -- When the first delivery was dropped since the queue was last empty.
  full_since          INTEGER,
  last_dropped_at     INTEGER,
  last_error          TEXT,
  last_error_at       INTEGER,
  last_delivery_at    INTEGER,
  -- Failed attempts since the latest success.
  consecutive_failures INTEGER NOT NULL DEFAULT 0 CHECK (consecutive_failures >= 0),
  failing_since       INTEGER,
  last_success_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_by_finished_deliveries ON webhook_statistics (finished_deliveries);

-- Deliveries that webhook_statistics does not count yet. The transactions of many accounts queue deliveries for a
-- webhook of all accounts: each adds a row here, because they would wait for each other at one row of counts.
CREATE TABLE uncounted_deliveries (
  webhook_id  TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  delivery_id TEXT NOT NULL,
  test        INTEGER NOT NULL CHECK (test IN (0, 1)),
  -- When it was dropped because the queue was full. NULL: it was queued.
  dropped_at  INTEGER,
  PRIMARY KEY (webhook_id, delivery_id)
) STRICT, WITHOUT ROWID;

-- webhook_statistics with the deliveries that it does not count yet.
CREATE VIEW current_webhook_statistics AS
SELECT webhook_id,
  total_deliveries + (SELECT COUNT(*) FROM uncounted_deliveries n
    WHERE n.webhook_id = s.webhook_id AND n.test = 0 AND n.dropped_at IS NULL) AS total_deliveries,
  failed_deliveries,
  dropped_deliveries + (SELECT COUNT(*) FROM uncounted_deliveries n
    WHERE n.webhook_id = s.webhook_id AND n.dropped_at IS NOT NULL) AS dropped_deliveries,
  pending + (SELECT COUNT(*) FROM uncounted_deliveries n
    WHERE n.webhook_id = s.webhook_id AND n.test = 0 AND n.dropped_at IS NULL) AS pending,
  retrying, succeeded, failed,
  queued_deliveries + (SELECT COUNT(*) FROM uncounted_deliveries n
    WHERE n.webhook_id = s.webhook_id AND n.dropped_at IS NULL) AS queued_deliveries,
  finished_deliveries,
  COALESCE(full_since, (SELECT MIN(n.dropped_at) FROM uncounted_deliveries n
    WHERE n.webhook_id = s.webhook_id)) AS full_since,
  COALESCE((SELECT MAX(n.dropped_at) FROM uncounted_deliveries n
    WHERE n.webhook_id = s.webhook_id), last_dropped_at) AS last_dropped_at,
  last_error, last_delivery_at, consecutive_failures, failing_since, last_success_at
FROM webhook_statistics s;

-- The body is serialised once; every attempt of every delivery sends these bytes.
-- The id contains the time of the event: lists and retention read events in the order of their ids.
-- Transactions of PostgreSQL commit in another order than that of ids. Cursors read events by (tx, number).
CREATE TABLE events (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The transaction that recorded it. 0: all transactions run one after the other.
  tx          INTEGER NOT NULL,
  id          TEXT NOT NULL UNIQUE,
  type        TEXT NOT NULL,
  user_id     TEXT,
  instance_id TEXT NOT NULL,
  body        TEXT NOT NULL,
  test        INTEGER NOT NULL CHECK (test IN (0, 1)),
  -- The trace of the request that caused it. Every attempt of every delivery sends it.
  traceparent TEXT,
  tracestate  TEXT
) STRICT;
CREATE INDEX events_of_account ON events (user_id, id, type) WHERE test = 0;
CREATE INDEX events_of_all ON events (id, type) WHERE test = 0;
CREATE INDEX events_of_account_by_commit ON events (user_id, tx, number, type) WHERE test = 0;
CREATE INDEX events_by_commit ON events (tx, number);

CREATE TABLE deliveries (
  id              TEXT PRIMARY KEY,
  webhook_id      TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  event_type      TEXT NOT NULL,
  test            INTEGER NOT NULL CHECK (test IN (0, 1)),
  -- Whether the event belongs to another account than the webhook, or to none.
  of_other        INTEGER NOT NULL DEFAULT 0 CHECK (of_other IN (0, 1)),
  status          TEXT NOT NULL CHECK (status IN ('pending', 'retrying', 'succeeded', 'failed')),
  attempt_number  INTEGER NOT NULL DEFAULT 0,
  status_code     INTEGER,
  duration_ms     INTEGER,
  error           TEXT,
  next_attempt_at INTEGER,
  -- How a caller requested the waiting attempt. 'next': in place of the next automatic attempt. 'once': one
  -- more after the end. 'bulk': one more of every failed delivery. NULL: an automatic attempt.
  retry           TEXT CHECK (retry IN ('next', 'once', 'bulk')),
  created_at      INTEGER NOT NULL,
  completed_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, created_at, id, of_other);
CREATE INDEX deliveries_of_webhook_in_status ON deliveries (webhook_id, status, created_at, id, event_type, of_other);
CREATE INDEX deliveries_of_webhook_of_type ON deliveries (webhook_id, event_type, created_at, id, of_other);
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_attempt_at, id)
  WHERE next_attempt_at IS NOT NULL;
-- The delivery of a webhook that has waited longest.
CREATE INDEX waiting_deliveries ON deliveries (webhook_id, created_at)
  WHERE next_attempt_at IS NOT NULL AND test = 0;
CREATE INDEX deliveries_of_others ON deliveries (webhook_id, id) WHERE of_other = 1;
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

-- The counts of accounts, vaults and webhooks. The statements that insert vaults, documents and deliveries
-- count them: a trigger would make SQLite copy every page of the statement once more.

-- A share is usable until it is revoked or its last access is used. Neither can be undone. Readers
-- subtract expired shares.
CREATE TRIGGER count_new_share AFTER INSERT ON shares
  WHEN NEW.is_active = 1 AND (NEW.max_access_count IS NULL OR NEW.access_count < NEW.max_access_count)
BEGIN
  UPDATE account_usage SET usable_shares = usable_shares + 1 WHERE user_id = NEW.user_id;
  UPDATE vaults SET usable_shares = usable_shares + 1
  WHERE id = (SELECT vault_id FROM documents WHERE id = NEW.document_id);
END;
CREATE TRIGGER count_unusable_share AFTER UPDATE OF is_active, access_count ON shares
  WHEN OLD.is_active = 1 AND (OLD.max_access_count IS NULL OR OLD.access_count < OLD.max_access_count)
    AND NOT (NEW.is_active = 1 AND (NEW.max_access_count IS NULL OR NEW.access_count < NEW.max_access_count))
    AND EXISTS (SELECT 1 FROM documents d JOIN vaults v ON v.id = d.vault_id WHERE d.id = NEW.document_id)
BEGIN
  UPDATE account_usage SET usable_shares = usable_shares - 1 WHERE user_id = NEW.user_id;
  UPDATE vaults SET usable_shares = usable_shares - 1
  WHERE id = (SELECT vault_id FROM documents WHERE id = NEW.document_id);
END;
-- Deleting a vault has already subtracted its shares.
CREATE TRIGGER count_gone_share AFTER DELETE ON shares
  WHEN OLD.is_active = 1 AND (OLD.max_access_count IS NULL OR OLD.access_count < OLD.max_access_count)
    AND EXISTS (SELECT 1 FROM documents d JOIN vaults v ON v.id = d.vault_id WHERE d.id = OLD.document_id)
BEGIN
  UPDATE account_usage SET usable_shares = usable_shares - 1 WHERE user_id = OLD.user_id;
  UPDATE vaults SET usable_shares = usable_shares - 1
  WHERE id = (SELECT vault_id FROM documents WHERE id = OLD.document_id);
END;

CREATE TRIGGER count_gone_delivery AFTER DELETE ON deliveries WHEN OLD.test = 0 BEGIN
  UPDATE webhook_statistics SET
    pending = pending - (OLD.status = 'pending'),
    retrying = retrying - (OLD.status = 'retrying'),
    succeeded = succeeded - (OLD.status = 'succeeded'),
    failed = failed - (OLD.status = 'failed')
  WHERE webhook_id = OLD.webhook_id;
END;
-- A delivery that a retry by hand reopened counts as finished.
CREATE TRIGGER count_removed_queued_delivery AFTER DELETE ON deliveries
WHEN OLD.completed_at IS NULL AND (OLD.retry IS NULL OR OLD.retry = 'next') BEGIN
  UPDATE webhook_statistics SET queued_deliveries = queued_deliveries - 1
  WHERE webhook_id = OLD.webhook_id;
END;
CREATE TRIGGER count_removed_finished_delivery AFTER DELETE ON deliveries
WHEN OLD.completed_at IS NOT NULL OR OLD.retry IN ('once', 'bulk') BEGIN
  UPDATE webhook_statistics SET finished_deliveries = finished_deliveries - 1
  WHERE webhook_id = OLD.webhook_id;
END;

CREATE TRIGGER revise_vault
AFTER UPDATE OF name_folded, description_folded, category, is_active ON vaults BEGIN
  UPDATE account_usage SET inactive_vaults = inactive_vaults + OLD.is_active - NEW.is_active,
    vault_revision = vault_revision + 1
  WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_changed_vault AFTER UPDATE OF name, description, category ON vaults
WHEN NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
-- The contents of its documents count until they are erased.
CREATE TRIGGER meter_gone_vault AFTER DELETE ON vaults BEGIN
  UPDATE account_usage SET vaults = vaults - 1, inactive_vaults = inactive_vaults - (1 - OLD.is_active),
    bytes = bytes - OLD.held_bytes - OLD.document_bytes + OLD.total_size,
    total_size = total_size - OLD.total_size,
    documents = documents - OLD.document_count, shares = shares - OLD.shares,
    usable_shares = usable_shares - OLD.usable_shares,
    vault_revision = vault_revision + 1, document_revision = document_revision + 1
  WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_changed_document AFTER UPDATE ON documents BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes,
    document_revision = document_revision + 1
  WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_content_of_vault
AFTER UPDATE OF vault_id, file_name, mime_type, encryption_metadata ON documents
WHEN NEW.held_bytes <> OLD.held_bytes OR NEW.vault_id <> OLD.vault_id BEGIN
  UPDATE vaults SET document_count = document_count - 1, total_size = total_size - OLD.size_bytes,
    document_bytes = document_bytes - OLD.held_bytes
  WHERE id = OLD.vault_id;
  UPDATE vaults SET document_count = document_count + 1, total_size = total_size + NEW.size_bytes,
    document_bytes = document_bytes + NEW.held_bytes
  WHERE id = NEW.vault_id;
END;
CREATE TRIGGER meter_moved_document AFTER UPDATE OF vault_id ON documents
WHEN NEW.vault_id <> OLD.vault_id AND EXISTS (SELECT 1 FROM shares WHERE document_id = NEW.id) BEGIN
  UPDATE vaults SET shares = vaults.shares - moved.shares, usable_shares = usable_shares - moved.usable
  FROM (SELECT COUNT(*) AS shares, COUNT(CASE WHEN is_active = 1
      AND (max_access_count IS NULL OR access_count < max_access_count) THEN 1 END) AS usable
    FROM shares WHERE document_id = NEW.id) moved
  WHERE id = OLD.vault_id;
  UPDATE vaults SET shares = vaults.shares + moved.shares, usable_shares = usable_shares + moved.usable
  FROM (SELECT COUNT(*) AS shares, COUNT(CASE WHEN is_active = 1
      AND (max_access_count IS NULL OR access_count < max_access_count) THEN 1 END) AS usable
    FROM shares WHERE document_id = NEW.id) moved
  WHERE id = NEW.vault_id;
END;
-- Deleting a vault has already subtracted its documents and shares.
CREATE TRIGGER meter_gone_document AFTER DELETE ON documents
WHEN EXISTS (SELECT 1 FROM vaults WHERE id = OLD.vault_id) BEGIN
  UPDATE account_usage SET documents = documents - 1, bytes = bytes - OLD.held_bytes,
    total_size = total_size - OLD.size_bytes, document_revision = document_revision + 1
  WHERE user_id = OLD.user_id;
  UPDATE vaults SET document_count = document_count - 1, total_size = total_size - OLD.size_bytes,
    document_bytes = document_bytes - OLD.held_bytes
  WHERE id = OLD.vault_id;
END;

-- Its content counts from now on as one that waits to be erased.
CREATE TRIGGER meter_erased_document AFTER DELETE ON documents
WHEN NOT EXISTS (SELECT 1 FROM vaults WHERE id = OLD.vault_id) BEGIN
  UPDATE account_usage SET bytes = bytes - OLD.size_bytes WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_new_consent AFTER INSERT ON consents BEGIN
  UPDATE account_usage SET consents = consents + 1, bytes = bytes + NEW.held_bytes
  WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_changed_consent
AFTER UPDATE OF purpose, description, granted_to, scopes, revocation_reason, metadata ON consents
WHEN NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_gone_consent AFTER DELETE ON consents BEGIN
  UPDATE account_usage SET consents = consents - 1, bytes = bytes - OLD.held_bytes
  WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_new_keyring AFTER INSERT ON keyrings BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_changed_keyring AFTER UPDATE OF public_key, private_key, unlockers ON keyrings
WHEN NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_gone_keyring AFTER DELETE ON keyrings BEGIN
  UPDATE account_usage SET bytes = bytes - OLD.held_bytes WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_new_vault_keys AFTER INSERT ON vault_keys BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes WHERE user_id = NEW.user_id;
END;
-- Lost keys are subtracted by the statement that removes those of all vaults.
CREATE TRIGGER meter_changed_vault_keys AFTER UPDATE OF sealed ON vault_keys
WHEN NEW.sealed IS NOT NULL AND NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_gone_vault_keys AFTER DELETE ON vault_keys BEGIN
  UPDATE account_usage SET bytes = bytes - OLD.held_bytes WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_new_webhook AFTER INSERT ON webhooks BEGIN
  UPDATE account_usage SET webhooks = webhooks + 1, bytes = bytes + NEW.held_bytes
  WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_changed_webhook
AFTER UPDATE OF url, events, description, headers, metadata ON webhooks
WHEN NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_gone_webhook AFTER DELETE ON webhooks BEGIN
  UPDATE account_usage SET webhooks = webhooks - 1, bytes = bytes - OLD.held_bytes
  WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_new_client AFTER INSERT ON oauth_clients BEGIN
  UPDATE account_usage SET clients = clients + 1, bytes = bytes + NEW.held_bytes
  WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_changed_client
AFTER UPDATE OF name, redirect_uris, scopes, grant_types, jwks ON oauth_clients
WHEN NEW.held_bytes <> OLD.held_bytes BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_gone_client AFTER DELETE ON oauth_clients BEGIN
  UPDATE account_usage SET clients = clients - 1, bytes = bytes - OLD.held_bytes
  WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER meter_new_share AFTER INSERT ON shares BEGIN
  UPDATE account_usage SET shares = shares + 1 WHERE user_id = NEW.user_id;
  UPDATE vaults SET shares = shares + 1
  WHERE id = (SELECT vault_id FROM documents WHERE id = NEW.document_id);
END;
CREATE TRIGGER meter_gone_share AFTER DELETE ON shares
WHEN EXISTS (SELECT 1 FROM documents d JOIN vaults v ON v.id = d.vault_id WHERE d.id = OLD.document_id)
BEGIN
  UPDATE account_usage SET shares = shares - 1 WHERE user_id = OLD.user_id;
  UPDATE vaults SET shares = shares - 1
  WHERE id = (SELECT vault_id FROM documents WHERE id = OLD.document_id);
END;

-- Revoked keys do not count.
CREATE TRIGGER meter_new_key AFTER INSERT ON api_keys WHEN NEW.revoked_at IS NULL BEGIN
  UPDATE account_usage SET keys = keys + 1, bytes = bytes + NEW.held_bytes WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER meter_revoked_key AFTER UPDATE OF revoked_at ON api_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  UPDATE account_usage SET keys = keys - 1, bytes = bytes - OLD.held_bytes WHERE user_id = OLD.user_id;
END;
CREATE TRIGGER meter_gone_key AFTER DELETE ON api_keys WHEN OLD.revoked_at IS NULL BEGIN
  UPDATE account_usage SET keys = keys - 1, bytes = bytes - OLD.held_bytes WHERE user_id = OLD.user_id;
END;

CREATE TABLE idempotency_outcomes (
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Hash of method, path and key. A path can be long, and the index would store it again.
  call_hash  BLOB NOT NULL,
  status     INTEGER NOT NULL,
  body       BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, call_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_outcomes_by_created ON idempotency_outcomes (created_at);
