-- The tables of sqlite/migrations/0001_initial.sql, which explains them. test/store/schemas.test.ts compares both files.
-- Times are epoch milliseconds, flags are 0 or 1, lists and free-form objects are JSON text.
-- held_bytes: the bytes that a row counts against its account.
-- A *_folded column contains the case-folded text of its neighbour, for search and for sorting by name.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- No counts: every account would write this row. They are sums over account_usage and current_webhook_statistics.
CREATE TABLE instances (
  id           TEXT COLLATE "C" PRIMARY KEY,
  name         TEXT COLLATE "C" NOT NULL,
  name_folded  TEXT COLLATE "C" NOT NULL,
  region       TEXT COLLATE "C" NOT NULL,
  version      TEXT COLLATE "C" NOT NULL,
  status       TEXT COLLATE "C" NOT NULL CHECK (status IN ('healthy', 'degraded')),
  is_active    BIGINT NOT NULL CHECK (is_active IN (0, 1)),
  quota_bytes  BIGINT NOT NULL CHECK (quota_bytes >= 0),
  quota_warned BIGINT NOT NULL DEFAULT 0 CHECK (quota_warned IN (0, 1)),
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL
);

-- Figures of each instance by hour, kept for 90 days. Each server adds what it has counted once a minute.
CREATE TABLE instance_history (
  instance_id TEXT COLLATE "C" NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
  hour        BIGINT NOT NULL,
  -- When the hour was first recorded.
  documents   BIGINT NOT NULL,
  used_bytes  BIGINT NOT NULL,
  requests    BIGINT NOT NULL,
  -- Deliveries that ended.
  succeeded   BIGINT NOT NULL,
  failed      BIGINT NOT NULL,
  PRIMARY KEY (instance_id, hour)
);
CREATE INDEX instance_history_by_hour ON instance_history (hour, instance_id);

-- The row that a health check writes.
CREATE TABLE health_probe (
  id         BIGINT PRIMARY KEY CHECK (id = 1),
  written_at BIGINT NOT NULL
);

CREATE TABLE users (
  id            TEXT COLLATE "C" PRIMARY KEY,
  email         TEXT COLLATE "C" NOT NULL,
  email_folded  TEXT COLLATE "C" NOT NULL UNIQUE,
  name          TEXT COLLATE "C" NOT NULL,
  password_hash TEXT COLLATE "C" NOT NULL,
  role          TEXT COLLATE "C" NOT NULL CHECK (role IN ('user', 'admin')),
  tier          TEXT COLLATE "C" NOT NULL CHECK (tier IN ('free', 'paid', 'enterprise')),
  status        TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'suspended')),
  instance_id   TEXT COLLATE "C" NOT NULL REFERENCES instances (id),
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL
);

CREATE INDEX administrators ON users (id) WHERE role = 'admin';

-- What an account stores, for its limits, its lists and the sums over an instance. The statements that insert
-- vaults and documents count them. Triggers count everything else, because deleting one row can delete many
-- others.
CREATE TABLE account_usage (
  user_id           TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  instance_id       TEXT COLLATE "C" NOT NULL,
  -- The held_bytes of all its rows, with contents that are deleted and not erased yet; and the size_bytes of its
  -- documents alone.
  bytes             BIGINT NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  total_size        BIGINT NOT NULL DEFAULT 0 CHECK (total_size >= 0),
  vaults            BIGINT NOT NULL DEFAULT 0 CHECK (vaults >= 0),
  inactive_vaults   BIGINT NOT NULL DEFAULT 0 CHECK (inactive_vaults >= 0),
  documents         BIGINT NOT NULL DEFAULT 0 CHECK (documents >= 0),
  shares            BIGINT NOT NULL DEFAULT 0 CHECK (shares >= 0),
  usable_shares     BIGINT NOT NULL DEFAULT 0 CHECK (usable_shares >= 0),
  consents          BIGINT NOT NULL DEFAULT 0 CHECK (consents >= 0),
  keys              BIGINT NOT NULL DEFAULT 0 CHECK (keys >= 0),
  webhooks          BIGINT NOT NULL DEFAULT 0 CHECK (webhooks >= 0),
  uploads           BIGINT NOT NULL DEFAULT 0 CHECK (uploads >= 0),
  clients           BIGINT NOT NULL DEFAULT 0 CHECK (clients >= 0),
  -- Grow with every change of a vault that its lists filter or sort by, and of a document.
  vault_revision    BIGINT NOT NULL DEFAULT 0,
  document_revision BIGINT NOT NULL DEFAULT 0
);

-- Columns of secrets (store/sealing.ts lists them) contain bytes. The first byte is the form: plain or sealed.
-- This row exists while one master key seals all of them.
CREATE TABLE sealing (
  id           BIGINT PRIMARY KEY CHECK (id = 1),
  key_id       TEXT COLLATE "C" NOT NULL,
  -- Whether free space in the file may still contain earlier forms of the secrets.
  has_remnants BIGINT NOT NULL CHECK (has_remnants IN (0, 1))
);

-- The mode of the last server that used the database.
CREATE TABLE server_mode (
  id   BIGINT PRIMARY KEY CHECK (id = 1),
  mode TEXT COLLATE "C" NOT NULL CHECK (mode IN ('development', 'production'))
);

-- Keys that sign access tokens.
CREATE TABLE signing_keys (
  kid         TEXT COLLATE "C" PRIMARY KEY,
  public_jwk  TEXT COLLATE "C" NOT NULL,
  private_jwk BYTEA NOT NULL,
  created_at  BIGINT NOT NULL,
  -- The key signs from this moment until that of the next key.
  signs_from  BIGINT NOT NULL UNIQUE
);

-- The account whose password and API key a development server printed, with its first password.
CREATE TABLE development_account (
  id            BIGINT PRIMARY KEY CHECK (id = 1),
  user_id       TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key_id        TEXT COLLATE "C" NOT NULL,
  password_hash TEXT COLLATE "C" NOT NULL
);
CREATE INDEX development_account_of_user ON development_account (user_id);

-- Secrets of this server by name: refresh tokens are derived with one of them.
CREATE TABLE server_secrets (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value BYTEA NOT NULL
);

-- One row per login. Access tokens name it in `sid`, so that a session ends at the next request.
CREATE TABLE sessions (
  id           TEXT COLLATE "C" PRIMARY KEY,
  user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at   BIGINT NOT NULL,
  -- Written at most once a minute, with the address and user agent of that use.
  last_used_at BIGINT NOT NULL,
  -- When its newest refresh token expires.
  expires_at   BIGINT NOT NULL,
  ip_address   TEXT COLLATE "C" NOT NULL,
  user_agent   TEXT COLLATE "C",
  ended_at     BIGINT
);
CREATE INDEX sessions_by_user ON sessions (user_id, ended_at);
CREATE INDEX live_sessions ON sessions (user_id, created_at, id, expires_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE refresh_tokens (
  hash       BYTEA PRIMARY KEY,
  session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  rotated_at BIGINT
);
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Networks that accounts have signed in from. Failed logins from elsewhere do not block logins from these.
CREATE TABLE login_places (
  user_id       TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network       TEXT COLLATE "C" NOT NULL,
  last_login_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, network)
);
CREATE INDEX login_places_of_user_by_login ON login_places (user_id, last_login_at DESC, network);
CREATE INDEX login_places_by_login ON login_places (last_login_at);

CREATE TABLE api_keys (
  key_id       TEXT COLLATE "C" PRIMARY KEY,
  user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name         TEXT COLLATE "C" NOT NULL,
  hash         BYTEA NOT NULL UNIQUE,
  prefix       TEXT COLLATE "C" NOT NULL,
  scopes       TEXT COLLATE "C" NOT NULL,
  created_at   BIGINT NOT NULL,
  last_used_at BIGINT,
  expires_at   BIGINT,
  revoked_at   BIGINT,
  held_bytes   BIGINT NOT NULL GENERATED ALWAYS AS (
    octet_length(name) + octet_length(scopes)
  ) STORED
);
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, key_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_name ON api_keys (user_id, name, key_id) WHERE revoked_at IS NULL;
CREATE INDEX all_api_keys_by_created ON api_keys (created_at, key_id) WHERE revoked_at IS NULL;
CREATE INDEX all_api_keys_by_name ON api_keys (name, key_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- Applications that are registered for OAuth 2.0.
CREATE TABLE oauth_clients (
  id                         TEXT COLLATE "C" PRIMARY KEY,
  user_id                    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name                       TEXT COLLATE "C" NOT NULL,
  -- Whether an administrator has confirmed who owns the client.
  verified                   BIGINT NOT NULL CHECK (verified IN (0, 1)),
  type                       TEXT COLLATE "C" NOT NULL CHECK (type IN ('confidential', 'public')),
  redirect_uris              TEXT COLLATE "C" NOT NULL,
  scopes                     TEXT COLLATE "C" NOT NULL,
  grant_types                TEXT COLLATE "C" NOT NULL,
  token_endpoint_auth_method TEXT COLLATE "C" NOT NULL CHECK (
    token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')
  ),
  -- Public keys alone.
  jwks                       TEXT COLLATE "C",
  require_par                BIGINT NOT NULL CHECK (require_par IN (0, 1)),
  disabled                   BIGINT NOT NULL CHECK (disabled IN (0, 1)),
  -- Whether an administrator has disabled the client: its owner cannot enable it.
  locked                     BIGINT NOT NULL CHECK (locked IN (0, 1)),
  -- SHA-256. NULL: the client has no secret.
  secret_hash                BYTEA,
  -- The secret before the last rotation, valid until previous_secret_until.
  previous_secret_hash       BYTEA,
  previous_secret_until      BIGINT,
  -- Increases when the account ends its credentials. Tokens of client credentials contain it.
  credentials_version        BIGINT NOT NULL,
  -- When the name or the redirect URIs changed. Users who approved the client before are asked again.
  identity_changed_at        BIGINT NOT NULL,
  created_at                 BIGINT NOT NULL,
  updated_at                 BIGINT NOT NULL,
  held_bytes                 BIGINT NOT NULL GENERATED ALWAYS AS (
    octet_length(name) + octet_length(redirect_uris) + octet_length(scopes) + octet_length(grant_types)
    + COALESCE(octet_length(jwks), 0)
  ) STORED
);
CREATE INDEX oauth_clients_by_created ON oauth_clients (user_id, created_at, id);
CREATE INDEX oauth_clients_by_name ON oauth_clients (user_id, name, id);
CREATE INDEX all_oauth_clients_by_created ON oauth_clients (created_at, id);
CREATE INDEX all_oauth_clients_by_name ON oauth_clients (name, id);
CREATE INDEX oauth_clients_by_previous_secret ON oauth_clients (previous_secret_until)
  WHERE previous_secret_until IS NOT NULL;

CREATE TABLE vaults (
  -- The order of creation, and the row id in the search index. It increases without gaps and is never reused.
  number             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id                 TEXT COLLATE "C" NOT NULL UNIQUE,
  user_id            TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  instance_id        TEXT COLLATE "C" NOT NULL REFERENCES instances (id),
  name               TEXT COLLATE "C" NOT NULL,
  name_folded        TEXT COLLATE "C" NOT NULL,
  description        TEXT COLLATE "C",
  description_folded TEXT COLLATE "C",
  category           TEXT COLLATE "C",
  is_active          BIGINT NOT NULL CHECK (is_active IN (0, 1)),
  document_count     BIGINT NOT NULL DEFAULT 0 CHECK (document_count >= 0),
  total_size         BIGINT NOT NULL DEFAULT 0 CHECK (total_size >= 0),
  -- The held_bytes, shares and usable shares of its documents. Triggers maintain them, so that deleting
  -- the vault does not read its documents.
  document_bytes     BIGINT NOT NULL DEFAULT 0 CHECK (document_bytes >= 0),
  shares             BIGINT NOT NULL DEFAULT 0 CHECK (shares >= 0),
  usable_shares      BIGINT NOT NULL DEFAULT 0 CHECK (usable_shares >= 0),
  quota_warned       BIGINT NOT NULL DEFAULT 0 CHECK (quota_warned IN (0, 1)),
  created_at         BIGINT NOT NULL,
  updated_at         BIGINT NOT NULL,
  held_bytes         BIGINT NOT NULL GENERATED ALWAYS AS (
    octet_length(name) + COALESCE(octet_length(description), 0)
    + COALESCE(octet_length(category), 0)
  ) STORED
);
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
  number              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id                  TEXT COLLATE "C" NOT NULL UNIQUE,
  -- No foreign keys: documents of a deleted vault or account are erased later, see erasures.
  vault_id            TEXT COLLATE "C" NOT NULL,
  user_id             TEXT COLLATE "C" NOT NULL,
  file_name           TEXT COLLATE "C" NOT NULL,
  file_name_folded    TEXT COLLATE "C" NOT NULL,
  mime_type           TEXT COLLATE "C" NOT NULL,
  size_bytes          BIGINT NOT NULL CHECK (size_bytes >= 0),
  encryption_metadata TEXT COLLATE "C" NOT NULL,
  content_store       TEXT COLLATE "C" NOT NULL CHECK (content_store IN ('database', 's3')),
  -- SHA-256 of the content. For a content of parts: of the SHA-256 of its parts, one after the other.
  content_digest      BYTEA NOT NULL CHECK (length(content_digest) = 32),
  -- Size of every part but the last. NULL: one request stored the content.
  content_part_bytes  BIGINT CHECK (content_part_bytes > 0),
  uploaded_at         BIGINT NOT NULL,
  updated_at          BIGINT NOT NULL,
  held_bytes          BIGINT NOT NULL GENERATED ALWAYS AS (
    size_bytes + octet_length(file_name) + octet_length(mime_type)
    + octet_length(encryption_metadata)
  ) STORED
);
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
  user_id     TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  version     BIGINT NOT NULL CHECK (version >= 1),
  public_key  TEXT COLLATE "C" NOT NULL,
  private_key TEXT COLLATE "C" NOT NULL,
  unlockers   TEXT COLLATE "C" NOT NULL,
  held_bytes  BIGINT NOT NULL GENERATED ALWAYS AS (
    octet_length(public_key) + octet_length(private_key) + octet_length(unlockers)
  ) STORED
);

-- The keys of a vault, encrypted by the client of its owner.
CREATE TABLE vault_keys (
  vault_id   TEXT COLLATE "C" PRIMARY KEY REFERENCES vaults (id) ON DELETE CASCADE,
  user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  version    BIGINT NOT NULL CHECK (version >= 1),
  generation BIGINT NOT NULL CHECK (generation >= 1),
  -- NULL: the keys are lost, because the account has replaced its keyring.
  sealed     TEXT COLLATE "C",
  held_bytes BIGINT NOT NULL GENERATED ALWAYS AS (COALESCE(octet_length(sealed), 0)) STORED
);
CREATE INDEX vault_keys_by_user ON vault_keys (user_id, vault_id);

-- The vaults of an account by category, so that reading a list counts nothing.
CREATE TABLE vault_categories (
  user_id  TEXT COLLATE "C" NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  active   BIGINT NOT NULL CHECK (active >= 0),
  inactive BIGINT NOT NULL CHECK (inactive >= 0),
  PRIMARY KEY (user_id, category)
);

-- The documents of an account by media type and vault. Documents of deleted vaults are counted until they
-- are erased: readers skip the vaults of erasures.
CREATE TABLE document_types (
  user_id   TEXT COLLATE "C" NOT NULL,
  mime_type TEXT COLLATE "C" NOT NULL,
  vault_id  TEXT COLLATE "C" NOT NULL,
  documents BIGINT NOT NULL CHECK (documents >= 0),
  PRIMARY KEY (user_id, mime_type, vault_id)
);

-- Deleted vaults whose documents wait to be erased, in small steps (repositories/erasures.ts). No reader finds
-- these documents.
CREATE TABLE erasures (
  -- The order of erasing; never reused.
  number  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The id of the vault.
  scope   TEXT COLLATE "C" NOT NULL UNIQUE,
  user_id TEXT COLLATE "C" NOT NULL
);
CREATE INDEX erasures_of_user ON erasures (user_id, number);

-- The trigrams of folded names, after the owner, so that rows of other accounts do not slow a search.
CREATE INDEX vault_search ON vaults
  USING gin (user_id, name_folded gin_trgm_ops, description_folded gin_trgm_ops);
CREATE INDEX document_search ON documents USING gin (user_id, file_name_folded gin_trgm_ops);
CREATE INDEX document_search_of_vault ON documents USING gin (vault_id, file_name_folded gin_trgm_ops);

-- Ciphertexts, in a table of their own so that a list never reads them. Each attempt to store a part has its own
-- rows. Attempt 0 is the content of one request.
CREATE TABLE document_contents (
  document_id TEXT COLLATE "C" NOT NULL,
  attempt     BIGINT NOT NULL,
  piece       BIGINT NOT NULL CHECK (piece >= 0),
  data        BYTEA NOT NULL,
  PRIMARY KEY (document_id, attempt, piece)
);
-- Ciphertext cannot be compressed.
ALTER TABLE document_contents ALTER COLUMN data SET STORAGE EXTERNAL;

-- Attempts to store parts of contents. The part that counts has a digest.
CREATE TABLE content_parts (
  -- The attempt; never reused.
  number      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document_id TEXT COLLATE "C" NOT NULL,
  part        BIGINT NOT NULL CHECK (part >= 0),
  size_bytes  BIGINT NOT NULL CHECK (size_bytes >= 0),
  -- SHA-256. NULL while the part is written, and after its process was killed.
  digest      BYTEA CHECK (length(digest) = 32),
  -- The tag of the part in the object store; NULL in the database.
  etag        TEXT COLLATE "C",
  -- When the last bytes of an attempt were stored.
  written_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX stored_parts ON content_parts (document_id, part) WHERE digest IS NOT NULL;
CREATE INDEX parts_of_content ON content_parts (document_id);
CREATE INDEX unfinished_parts ON content_parts (written_at) WHERE digest IS NULL;

-- Contents without a document, in the order of their erasing. Erasing a large one takes many steps. An upload in
-- parts, and a large one of one request, are stored in steps before their document: the content waits for the
-- document until due_at.
CREATE TABLE content_erasures (
  number      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document_id TEXT COLLATE "C" NOT NULL UNIQUE,
  due_at      BIGINT NOT NULL DEFAULT 0,
  -- The bytes of a deleted content, which count against its account until they are erased.
  user_id     TEXT COLLATE "C",
  held_bytes  BIGINT NOT NULL DEFAULT 0 CHECK (held_bytes >= 0)
);

-- Contents in an object store: one object each. The row is committed before the object is stored.
CREATE TABLE content_objects (
  -- Without the prefix of the configuration.
  object_key  TEXT COLLATE "C" PRIMARY KEY,
  document_id TEXT COLLATE "C" NOT NULL,
  -- The multipart upload. NULL before its first part, and for a content of one request.
  upload_id   TEXT COLLATE "C",
  -- 'open' takes parts, 'complete' waits for its document, 'taken' has one. 'aborted': the upload is aborted once
  -- more, because parts that were being sent can arrive after the first time.
  state       TEXT COLLATE "C" NOT NULL CHECK (state IN ('open', 'complete', 'taken', 'aborted')),
  -- When the sweeper removes the object. NULL while it has a document or waits for it.
  due_at      BIGINT
);
CREATE UNIQUE INDEX objects_of_documents ON content_objects (document_id) WHERE due_at IS NULL;
CREATE INDEX due_objects ON content_objects (due_at, object_key) WHERE due_at IS NOT NULL;

-- Open uploads in parts. Their declared bytes are reserved: they count in account_usage.bytes, and against the
-- quota of the vault.
CREATE TABLE uploads (
  -- The id of the later document.
  id         TEXT COLLATE "C" PRIMARY KEY,
  vault_id   TEXT COLLATE "C" NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
  user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  size_bytes BIGINT NOT NULL CHECK (size_bytes > 0),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX uploads_of_vault ON uploads (vault_id, size_bytes);
CREATE INDEX uploads_of_user ON uploads (user_id);
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

-- Ids of documents and uploads that were deleted, without their account. Clients can make ids: none is used twice,
-- because a ciphertext is bound to the id of its document.
CREATE TABLE used_ids (
  id BYTEA PRIMARY KEY CHECK (octet_length(id) = 16)
);

CREATE TABLE shares (
  id               TEXT COLLATE "C" PRIMARY KEY,
  document_id      TEXT COLLATE "C" NOT NULL REFERENCES documents (id),
  -- No foreign key, like documents.user_id.
  user_id          TEXT COLLATE "C" NOT NULL,
  instance_id      TEXT COLLATE "C" NOT NULL REFERENCES instances (id),
  token_hash       BYTEA NOT NULL UNIQUE,
  permissions      TEXT COLLATE "C" NOT NULL,
  access           TEXT COLLATE "C" NOT NULL CHECK (access IN ('authenticated', 'anyone')),
  expires_at       BIGINT NOT NULL,
  max_access_count BIGINT CHECK (max_access_count > 0),
  access_count     BIGINT NOT NULL DEFAULT 0,
  -- Id of the grant, or of the client without one, whose end also ends this share. NULL: no app made it.
  access_id        TEXT COLLATE "C",
  is_active        BIGINT NOT NULL CHECK (is_active IN (0, 1)),
  created_at       BIGINT NOT NULL
);
CREATE INDEX shares_of_document ON shares (document_id, created_at, id);
CREATE INDEX shares_of_document_by_expiry ON shares (document_id, expires_at, id);
CREATE INDEX shares_by_expiry ON shares (expires_at) WHERE is_active = 1;
CREATE INDEX shares_by_end ON shares (expires_at) WHERE is_active = 0;
CREATE INDEX shares_of_access ON shares (access_id) WHERE access_id IS NOT NULL;

-- Who opened a share. Kept for 90 days. The oldest go first, so that the counts of a share's rows have no gaps.
CREATE TABLE share_accesses (
  share_id     TEXT COLLATE "C" NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  -- The access count of the share, this access included.
  access_count BIGINT NOT NULL CHECK (access_count > 0),
  accessed_at  BIGINT NOT NULL,
  ip_address   TEXT COLLATE "C" NOT NULL,
  user_agent   TEXT COLLATE "C",
  PRIMARY KEY (share_id, access_count)
);
CREATE INDEX share_accesses_by_time ON share_accesses (accessed_at);

-- An expired consent is stored as granted until the sweeper emits its event.
CREATE TABLE consents (
  id                TEXT COLLATE "C" PRIMARY KEY,
  user_id           TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           TEXT COLLATE "C" NOT NULL,
  description       TEXT COLLATE "C",
  granted_to        TEXT COLLATE "C" NOT NULL,
  scopes            TEXT COLLATE "C",
  status            TEXT COLLATE "C" NOT NULL CHECK (status IN ('granted', 'revoked', 'expired')),
  granted_at        BIGINT NOT NULL,
  expires_at        BIGINT,
  revoked_at        BIGINT,
  revocation_reason TEXT COLLATE "C",
  metadata          TEXT COLLATE "C",
  created_at        BIGINT NOT NULL,
  updated_at        BIGINT NOT NULL,
  -- The app that it gives access to, also after the app was deleted. NULL: it concerns no app.
  client_id         TEXT COLLATE "C",
  held_bytes        BIGINT NOT NULL GENERATED ALWAYS AS (
    octet_length(purpose) + COALESCE(octet_length(description), 0) + octet_length(granted_to)
    + COALESCE(octet_length(scopes), 0) + COALESCE(octet_length(revocation_reason), 0)
    + COALESCE(octet_length(metadata), 0)
  ) STORED
);
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
  id         TEXT COLLATE "C" PRIMARY KEY,
  -- No foreign key: the grants of a deleted client are removed later, see oauth_client_erasures.
  client_id  TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  consent_id TEXT COLLATE "C" NOT NULL REFERENCES consents (id) ON DELETE CASCADE,
  scopes     TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  -- When its newest refresh token expires.
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT
);
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_of_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_of_consent ON oauth_grants (consent_id);
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);
CREATE INDEX oauth_grants_by_revocation ON oauth_grants (revoked_at) WHERE revoked_at IS NOT NULL;

-- Deleted clients whose consents and grants wait to be ended, in small steps. Their access has ended.
CREATE TABLE oauth_client_erasures (
  client_id TEXT COLLATE "C" PRIMARY KEY
);
CREATE FUNCTION oauth_clients_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO oauth_client_erasures (client_id) SELECT id FROM changed_rows ON CONFLICT (client_id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER oauth_clients_erase AFTER DELETE ON oauth_clients REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oauth_clients_erase();

-- Codes, refresh tokens, requests and sign-ins of OAuth, by digests of the values that clients present.
CREATE TABLE oauth_artifacts (
  -- SHA-256 of kind and id.
  id_hash     BYTEA PRIMARY KEY,
  kind        TEXT COLLATE "C" NOT NULL,
  -- SHA-256 of a second key, such as the code that a user enters.
  lookup_hash BYTEA,
  grant_id    TEXT COLLATE "C" REFERENCES oauth_grants (id) ON DELETE CASCADE,
  session_id  TEXT COLLATE "C" REFERENCES sessions (id) ON DELETE CASCADE,
  payload     BYTEA NOT NULL,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  consumed_at BIGINT,
  -- The last time that a device asked for its token, and how long it must wait in between. In milliseconds.
  polled_at     BIGINT,
  poll_interval BIGINT
);
CREATE INDEX oauth_artifacts_by_lookup ON oauth_artifacts (lookup_hash, created_at)
  WHERE lookup_hash IS NOT NULL;
CREATE INDEX oauth_artifacts_of_grant ON oauth_artifacts (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_artifacts_of_session ON oauth_artifacts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX oauth_artifacts_by_expiry ON oauth_artifacts (expires_at);

CREATE TABLE webhooks (
  id          TEXT COLLATE "C" PRIMARY KEY,
  user_id     TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  instance_id TEXT COLLATE "C" NOT NULL REFERENCES instances (id),
  url         TEXT COLLATE "C" NOT NULL,
  events      TEXT COLLATE "C" NOT NULL,
  -- NULL once its master key is lost.
  secret      BYTEA,
  -- Signs attempts too until it expires, after a rotation. It stays until the next change.
  previous_secret            BYTEA,
  previous_secret_expires_at BIGINT,
  description TEXT COLLATE "C",
  headers     BYTEA,
  metadata    TEXT COLLATE "C",
  -- Whose events it receives. Set to 'own' when its account stops being an active administrator.
  accounts    TEXT COLLATE "C" NOT NULL DEFAULT 'own' CHECK (accounts IN ('own', 'all')),
  -- Whether deliveries may be left that it may not have any more: it was 'all', or its app has lost a scope.
  narrowed    BIGINT NOT NULL DEFAULT 0 CHECK (narrowed IN (0, 1)),
  -- Id of the grant, or of the client without one, whose end also ends this webhook. NULL: no app chose its URL.
  access_id   TEXT COLLATE "C",
  active      BIGINT NOT NULL CHECK (active IN (0, 1)),
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  -- Headers count as plain text: without the byte of the form, and without the 36 bytes that sealing adds.
  held_bytes  BIGINT NOT NULL GENERATED ALWAYS AS (
    octet_length(url) + octet_length(events) + COALESCE(octet_length(description), 0)
    + COALESCE(octet_length(headers) - CASE substr(headers, 1, 1) WHEN '\x01' THEN 37 ELSE 1 END, 0)
    + COALESCE(octet_length(metadata), 0)
  ) STORED,
  CHECK (active = 0 OR secret IS NOT NULL)
);
CREATE INDEX webhooks_by_user ON webhooks (user_id, created_at, id);
CREATE INDEX webhooks_by_updated ON webhooks (user_id, updated_at, id);
CREATE INDEX all_webhooks_by_created ON webhooks (created_at, id);
CREATE INDEX all_webhooks_by_updated ON webhooks (updated_at, id);
CREATE INDEX narrowed_webhooks ON webhooks (id) WHERE narrowed = 1;
CREATE INDEX webhooks_of_access ON webhooks (access_id) WHERE access_id IS NOT NULL;

-- The events of each webhook, indexed by type and account. Finding the webhooks of an event is one look-up
-- and does not depend on the webhooks of other accounts.
CREATE TABLE webhook_subscriptions (
  event_type TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL,
  webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  PRIMARY KEY (event_type, user_id, webhook_id)
);
CREATE INDEX webhook_subscriptions_of_webhook ON webhook_subscriptions (webhook_id);

-- Counts since the webhook was registered, without test deliveries. Retention does not reduce them.
-- queued_deliveries and finished_deliveries count the existing rows for the limits, test deliveries
-- included. The counts of existing rows have no CHECK: a wrong count must not prevent recording or removing
-- a delivery.
CREATE TABLE webhook_statistics (
  webhook_id          TEXT COLLATE "C" PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  total_deliveries    BIGINT NOT NULL DEFAULT 0 CHECK (total_deliveries >= 0),
  failed_deliveries   BIGINT NOT NULL DEFAULT 0 CHECK (failed_deliveries BETWEEN 0 AND total_deliveries),
  dropped_deliveries  BIGINT NOT NULL DEFAULT 0 CHECK (dropped_deliveries >= 0),
  -- The existing deliveries by status, without test deliveries.
  pending             BIGINT NOT NULL DEFAULT 0,
  retrying            BIGINT NOT NULL DEFAULT 0,
  succeeded           BIGINT NOT NULL DEFAULT 0,
  failed              BIGINT NOT NULL DEFAULT 0,
  -- Deliveries that have never ended.
  queued_deliveries   BIGINT NOT NULL DEFAULT 0,
  -- Deliveries that have ended, including those that a retry by hand has reopened.
  finished_deliveries BIGINT NOT NULL DEFAULT 0,
  -- When the first delivery was dropped since the queue was last empty.
  full_since          BIGINT,
  last_dropped_at     BIGINT,
  last_error          TEXT COLLATE "C",
  last_error_at       BIGINT,
  last_delivery_at    BIGINT,
  -- Failed attempts since the latest success.
  consecutive_failures BIGINT NOT NULL DEFAULT 0 CHECK (consecutive_failures >= 0),
  failing_since       BIGINT,
  last_success_at     BIGINT
);
CREATE INDEX webhooks_by_finished_deliveries ON webhook_statistics (finished_deliveries);

-- Deliveries that webhook_statistics does not count yet. The transactions of many accounts queue deliveries for a
-- webhook of all accounts: each adds a row here, because they would wait for each other at one row of counts.
CREATE TABLE uncounted_deliveries (
  webhook_id  TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  delivery_id TEXT COLLATE "C" NOT NULL,
  test        BIGINT NOT NULL CHECK (test IN (0, 1)),
  -- When it was dropped because the queue was full. NULL: it was queued.
  dropped_at  BIGINT,
  PRIMARY KEY (webhook_id, delivery_id)
);

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
  number      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The transaction that recorded it. 0: all transactions run one after the other.
  tx          BIGINT NOT NULL,
  id          TEXT COLLATE "C" NOT NULL UNIQUE,
  type        TEXT COLLATE "C" NOT NULL,
  user_id     TEXT COLLATE "C",
  instance_id TEXT COLLATE "C" NOT NULL,
  body        TEXT COLLATE "C" NOT NULL,
  test        BIGINT NOT NULL CHECK (test IN (0, 1)),
  -- The trace of the request that caused it. Every attempt of every delivery sends it.
  traceparent TEXT COLLATE "C",
  tracestate  TEXT COLLATE "C"
);
CREATE INDEX events_of_account ON events (user_id, id, type) WHERE test = 0;
CREATE INDEX events_of_all ON events (id, type) WHERE test = 0;
CREATE INDEX events_of_account_by_commit ON events (user_id, tx, number, type) WHERE test = 0;
CREATE INDEX events_by_commit ON events (tx, number);

CREATE TABLE deliveries (
  id              TEXT COLLATE "C" PRIMARY KEY,
  webhook_id      TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id        TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  event_type      TEXT COLLATE "C" NOT NULL,
  test            BIGINT NOT NULL CHECK (test IN (0, 1)),
  -- Whether the event belongs to another account than the webhook, or to none.
  of_other        BIGINT NOT NULL DEFAULT 0 CHECK (of_other IN (0, 1)),
  status          TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'retrying', 'succeeded', 'failed')),
  attempt_number  BIGINT NOT NULL DEFAULT 0,
  status_code     BIGINT,
  duration_ms     BIGINT,
  error           TEXT COLLATE "C",
  next_attempt_at BIGINT,
  -- How a caller requested the waiting attempt. 'next': in place of the next automatic attempt. 'once': one
  -- more after the end. 'bulk': one more of every failed delivery. NULL: an automatic attempt.
  retry           TEXT COLLATE "C" CHECK (retry IN ('next', 'once', 'bulk')),
  created_at      BIGINT NOT NULL,
  completed_at    BIGINT
);
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
  delivery_id    TEXT COLLATE "C" NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  attempt_number BIGINT NOT NULL,
  started_at     BIGINT NOT NULL,
  status_code    BIGINT,
  duration_ms    BIGINT NOT NULL,
  error          TEXT COLLATE "C",
  response_body  TEXT COLLATE "C",
  manual         BIGINT NOT NULL DEFAULT 0 CHECK (manual IN (0, 1)),
  PRIMARY KEY (delivery_id, attempt_number)
);

CREATE TABLE idempotency_outcomes (
  user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Hash of method, path and key. A path can be long, and the index would store it again.
  call_hash  BYTEA NOT NULL,
  status     BIGINT NOT NULL,
  body       BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, call_hash)
);
CREATE INDEX idempotency_outcomes_by_created ON idempotency_outcomes (created_at);

-- Rights that one process at a time has. SQLite needs none: one process has the database.
CREATE TABLE leases (
  name       TEXT COLLATE "C" PRIMARY KEY,
  holder     TEXT COLLATE "C" NOT NULL,
  -- By the clock of the database.
  expires_at BIGINT NOT NULL
);

-- What several processes count together. SQLite needs none of these tables: one process counts in memory.

-- Requests of an account or address in the clock's hour and minute, which are numbered from the epoch. Processes
-- reserve requests in batches: the last reservation got the granted numbers.
CREATE TABLE request_windows (
  key               TEXT COLLATE "C" PRIMARY KEY,
  hour              BIGINT NOT NULL,
  in_hour           BIGINT NOT NULL,
  granted_in_hour   BIGINT NOT NULL,
  minute            BIGINT NOT NULL,
  in_minute         BIGINT NOT NULL,
  granted_in_minute BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX request_windows_by_hour ON request_windows (hour);

-- Queries of GraphQL in the clock's hour.
CREATE TABLE query_windows (
  key     TEXT COLLATE "C" PRIMARY KEY,
  hour    BIGINT NOT NULL,
  points  BIGINT NOT NULL,
  queries BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX query_windows_by_hour ON query_windows (hour);

-- Wrong passwords by account and network. Each moves the moment at which the budget is complete again.
CREATE TABLE failure_budgets (
  key         TEXT COLLATE "C" PRIMARY KEY,
  complete_at BIGINT NOT NULL
);
CREATE INDEX failure_budgets_by_completion ON failure_budgets (complete_at);

-- Triggers of the same effect as those of SQLite. Insertions and deletions are counted once per statement, because
-- one can concern many rows. Triggers run FOR EACH ROW in two cases only:
-- - After an update: a trigger with a list of columns, or with a WHEN on OLD and NEW, skips updates that concern no
--   counter. PostgreSQL allows such a trigger no transition tables. A statement updates few rows, and one document at most.
-- - Before a deletion: PostgreSQL has no transition tables there.
-- Every trigger writes the vault before its account, as the statements do that insert documents, so that two
-- transactions seldom wait for each other.

CREATE FUNCTION users_usage_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_usage (user_id, instance_id) SELECT id, instance_id FROM new_rows;
  RETURN NULL;
END $$;
CREATE TRIGGER users_usage_in AFTER INSERT ON users REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION users_usage_in();

-- Runs before the rows of the account are deleted, so that none of them writes a counter. Before a deletion, only
-- FOR EACH ROW knows the row.
CREATE FUNCTION users_usage_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM account_usage WHERE user_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER users_usage_out BEFORE DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION users_usage_out();

-- Vaults

CREATE FUNCTION vaults_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO erasures (scope, user_id)
  SELECT id, user_id FROM old_rows o WHERE EXISTS (SELECT 1 FROM documents WHERE vault_id = o.id);
  UPDATE vault_categories c SET active = c.active - gone.active, inactive = c.inactive - gone.inactive
  FROM (
    SELECT user_id, category, SUM(is_active) AS active, SUM(1 - is_active) AS inactive
    FROM old_rows WHERE category IS NOT NULL GROUP BY user_id, category
  ) gone
  WHERE c.user_id = gone.user_id AND c.category = gone.category;
  DELETE FROM vault_categories c USING old_rows o
  WHERE c.user_id = o.user_id AND c.category = o.category AND c.active = 0 AND c.inactive = 0;
  UPDATE account_usage a SET vaults = a.vaults - gone.vaults,
    inactive_vaults = a.inactive_vaults - gone.inactive, bytes = a.bytes - gone.bytes,
    total_size = a.total_size - gone.total_size, documents = a.documents - gone.documents,
    shares = a.shares - gone.shares, usable_shares = a.usable_shares - gone.usable_shares,
    vault_revision = a.vault_revision + gone.vaults, document_revision = a.document_revision + gone.vaults
  FROM (
    SELECT user_id, COUNT(*) AS vaults, SUM(1 - is_active) AS inactive,
      -- The contents of the documents count until they are erased.
      SUM(held_bytes + document_bytes - total_size) AS bytes, SUM(total_size) AS total_size,
      SUM(document_count) AS documents, SUM(shares) AS shares, SUM(usable_shares) AS usable_shares
    FROM old_rows GROUP BY user_id
  ) gone
  WHERE a.user_id = gone.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER vaults_out AFTER DELETE ON vaults REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION vaults_out();

CREATE FUNCTION vaults_categorize_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE vault_categories SET active = active - OLD.is_active, inactive = inactive - (1 - OLD.is_active)
  WHERE user_id = OLD.user_id AND category = OLD.category;
  INSERT INTO vault_categories (user_id, category, active, inactive)
  SELECT NEW.user_id, NEW.category, NEW.is_active, 1 - NEW.is_active WHERE NEW.category IS NOT NULL
  ON CONFLICT (user_id, category) DO UPDATE
    SET active = vault_categories.active + excluded.active,
      inactive = vault_categories.inactive + excluded.inactive;
  DELETE FROM vault_categories
  WHERE user_id = OLD.user_id AND category = OLD.category AND active = 0 AND inactive = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER vaults_categorize_over AFTER UPDATE OF category, is_active ON vaults FOR EACH ROW
  WHEN (OLD.category IS DISTINCT FROM NEW.category OR OLD.is_active <> NEW.is_active)
  EXECUTE FUNCTION vaults_categorize_over();

CREATE FUNCTION revise_vault() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage SET inactive_vaults = inactive_vaults + OLD.is_active - NEW.is_active,
    vault_revision = vault_revision + 1
  WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER revise_vault
  AFTER UPDATE OF name_folded, description_folded, category, is_active ON vaults
  FOR EACH ROW EXECUTE FUNCTION revise_vault();

-- Documents

-- Runs before the document is deleted, because the trigger of shares finds the vault through it.
CREATE FUNCTION documents_unshare() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM shares WHERE document_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER documents_unshare BEFORE DELETE ON documents
  FOR EACH ROW EXECUTE FUNCTION documents_unshare();

-- Deleting a vault has already subtracted its documents and shares.
CREATE FUNCTION documents_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO content_erasures (document_id, user_id, held_bytes) SELECT id, user_id, size_bytes FROM old_rows;
  -- A client can send no other ids than UUIDs.
  INSERT INTO used_ids (id) SELECT DECODE(REPLACE(id, '-', ''), 'hex') FROM old_rows
  WHERE id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' ON CONFLICT (id) DO NOTHING;
  UPDATE document_types t SET documents = t.documents - gone.documents
  FROM (
    SELECT user_id, mime_type, vault_id, COUNT(*) AS documents
    FROM old_rows GROUP BY user_id, mime_type, vault_id
  ) gone
  WHERE t.user_id = gone.user_id AND t.mime_type = gone.mime_type AND t.vault_id = gone.vault_id;
  DELETE FROM document_types t USING old_rows o
  WHERE t.user_id = o.user_id AND t.mime_type = o.mime_type AND t.vault_id = o.vault_id AND t.documents = 0;
  UPDATE vaults v SET document_count = v.document_count - gone.documents,
    total_size = v.total_size - gone.total_size, document_bytes = v.document_bytes - gone.bytes
  FROM (
    SELECT vault_id, COUNT(*) AS documents, SUM(size_bytes) AS total_size, SUM(held_bytes) AS bytes
    FROM old_rows GROUP BY vault_id
  ) gone
  WHERE v.id = gone.vault_id;
  UPDATE account_usage a SET documents = a.documents - gone.documents, bytes = a.bytes - gone.bytes,
    total_size = a.total_size - gone.total_size, document_revision = a.document_revision + gone.documents
  FROM (
    -- Of a deleted vault, only the contents of its documents still count.
    SELECT o.user_id, COUNT(v.id) AS documents,
      SUM(CASE WHEN v.id IS NULL THEN 0 ELSE o.size_bytes END) AS total_size,
      SUM(CASE WHEN v.id IS NULL THEN o.size_bytes ELSE o.held_bytes END) AS bytes
    FROM old_rows o LEFT JOIN vaults v ON v.id = o.vault_id GROUP BY o.user_id
  ) gone
  WHERE a.user_id = gone.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER documents_out AFTER DELETE ON documents REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION documents_out();

CREATE FUNCTION documents_type_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE document_types SET documents = documents - 1
  WHERE user_id = OLD.user_id AND mime_type = OLD.mime_type AND vault_id = OLD.vault_id;
  DELETE FROM document_types
  WHERE user_id = OLD.user_id AND mime_type = OLD.mime_type AND vault_id = OLD.vault_id AND documents = 0;
  INSERT INTO document_types (user_id, mime_type, vault_id, documents)
  VALUES (NEW.user_id, NEW.mime_type, NEW.vault_id, 1)
  ON CONFLICT (user_id, mime_type, vault_id) DO UPDATE SET documents = document_types.documents + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER documents_type_over AFTER UPDATE OF mime_type, vault_id ON documents FOR EACH ROW
  WHEN (OLD.mime_type <> NEW.mime_type OR OLD.vault_id <> NEW.vault_id)
  EXECUTE FUNCTION documents_type_over();

CREATE FUNCTION meter_changed_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.held_bytes <> OLD.held_bytes OR NEW.vault_id <> OLD.vault_id THEN
    UPDATE vaults SET document_count = document_count - 1, total_size = total_size - OLD.size_bytes,
      document_bytes = document_bytes - OLD.held_bytes
    WHERE id = OLD.vault_id;
    UPDATE vaults SET document_count = document_count + 1, total_size = total_size + NEW.size_bytes,
      document_bytes = document_bytes + NEW.held_bytes
    WHERE id = NEW.vault_id;
  END IF;
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes,
    document_revision = document_revision + 1
  WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER meter_changed_document AFTER UPDATE ON documents
  FOR EACH ROW EXECUTE FUNCTION meter_changed_document();

CREATE FUNCTION meter_moved_document() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved RECORD;
BEGIN
  SELECT COUNT(*) AS shares, COUNT(*) FILTER (WHERE is_active = 1
      AND (max_access_count IS NULL OR access_count < max_access_count)) AS usable
  INTO moved FROM shares WHERE document_id = NEW.id;
  IF moved.shares > 0 THEN
    UPDATE vaults SET shares = shares - moved.shares, usable_shares = usable_shares - moved.usable
    WHERE id = OLD.vault_id;
    UPDATE vaults SET shares = shares + moved.shares, usable_shares = usable_shares + moved.usable
    WHERE id = NEW.vault_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER meter_moved_document AFTER UPDATE OF vault_id ON documents FOR EACH ROW
  WHEN (NEW.vault_id <> OLD.vault_id) EXECUTE FUNCTION meter_moved_document();

-- Uploads

CREATE FUNCTION uploads_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage a SET uploads = a.uploads + added.rows, bytes = a.bytes + added.bytes
  FROM (SELECT user_id, COUNT(*) AS rows, SUM(size_bytes) AS bytes FROM new_rows GROUP BY user_id) added
  WHERE a.user_id = added.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_in AFTER INSERT ON uploads REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION uploads_in();

-- The content of an upload whose vault or account was deleted is erased with the next sweep.
CREATE FUNCTION uploads_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE content_erasures e SET due_at = 0, user_id = o.user_id, held_bytes = (
    SELECT COALESCE(SUM(p.size_bytes), 0) FROM content_parts p WHERE p.document_id = e.document_id
  ) FROM old_rows o WHERE e.document_id = o.id;
  INSERT INTO used_ids (id) SELECT DECODE(REPLACE(id, '-', ''), 'hex') FROM old_rows ON CONFLICT (id) DO NOTHING;
  UPDATE account_usage a SET uploads = a.uploads - gone.rows, bytes = a.bytes - gone.bytes
  FROM (SELECT user_id, COUNT(*) AS rows, SUM(size_bytes) AS bytes FROM old_rows GROUP BY user_id) gone
  WHERE a.user_id = gone.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_out AFTER DELETE ON uploads REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION uploads_out();

-- Shares

-- Adds shares to the counters of their vaults and accounts. Deleting a vault has already subtracted its shares.
CREATE FUNCTION count_shares(document TEXT, account TEXT, by BIGINT, usable_by BIGINT) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE vaults SET shares = shares + by, usable_shares = usable_shares + usable_by
  WHERE id = (SELECT vault_id FROM documents WHERE id = document);
  IF FOUND THEN
    UPDATE account_usage SET shares = shares + by, usable_shares = usable_shares + usable_by
    WHERE user_id = account;
  END IF;
END $$;

CREATE FUNCTION shares_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_shares(document_id, user_id, COUNT(*), COUNT(*) FILTER (WHERE is_active = 1
    AND (max_access_count IS NULL OR access_count < max_access_count)))
  FROM new_rows GROUP BY document_id, user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER shares_in AFTER INSERT ON shares REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION shares_in();

CREATE FUNCTION shares_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_shares(document_id, user_id, -COUNT(*), -COUNT(*) FILTER (WHERE is_active = 1
    AND (max_access_count IS NULL OR access_count < max_access_count)))
  FROM old_rows GROUP BY document_id, user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER shares_out AFTER DELETE ON shares REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION shares_out();

-- A share is usable until it is revoked or its last access is used. Neither can be undone. Readers
-- subtract expired shares.
CREATE FUNCTION count_unusable_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_shares(NEW.document_id, NEW.user_id, 0, -1);
  RETURN NULL;
END $$;
CREATE TRIGGER count_unusable_share AFTER UPDATE OF is_active, access_count ON shares FOR EACH ROW
  WHEN (OLD.is_active = 1 AND (OLD.max_access_count IS NULL OR OLD.access_count < OLD.max_access_count)
    AND NOT (NEW.is_active = 1 AND (NEW.max_access_count IS NULL OR NEW.access_count < NEW.max_access_count)))
  EXECUTE FUNCTION count_unusable_share();

-- Deliveries

-- A delivery that a retry by hand reopened counts as finished.
CREATE FUNCTION deliveries_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhook_statistics s SET
    pending = s.pending - gone.pending, retrying = s.retrying - gone.retrying,
    succeeded = s.succeeded - gone.succeeded, failed = s.failed - gone.failed,
    queued_deliveries = s.queued_deliveries - gone.queued,
    finished_deliveries = s.finished_deliveries - gone.finished
  FROM (
    SELECT webhook_id,
      COUNT(*) FILTER (WHERE test = 0 AND status = 'pending') AS pending,
      COUNT(*) FILTER (WHERE test = 0 AND status = 'retrying') AS retrying,
      COUNT(*) FILTER (WHERE test = 0 AND status = 'succeeded') AS succeeded,
      COUNT(*) FILTER (WHERE test = 0 AND status = 'failed') AS failed,
      COUNT(*) FILTER (WHERE completed_at IS NULL AND (retry IS NULL OR retry = 'next')) AS queued,
      COUNT(*) FILTER (WHERE completed_at IS NOT NULL OR retry IN ('once', 'bulk')) AS finished
    FROM old_rows GROUP BY webhook_id
  ) gone
  WHERE s.webhook_id = gone.webhook_id;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_out AFTER DELETE ON deliveries REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION deliveries_out();

-- Consents, webhooks, OAuth clients and API keys

-- Adds the rows of consents, webhooks or OAuth clients to the usage of their accounts, or subtracts them.
-- The argument of the trigger names the counter.
CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE FORMAT(
    'UPDATE account_usage a SET %1$I = a.%1$I + $1 * changed.rows, bytes = a.bytes + $1 * changed.bytes
     FROM (SELECT user_id, COUNT(*) AS rows, SUM(held_bytes) AS bytes FROM changed_rows GROUP BY user_id) changed
     WHERE a.user_id = changed.user_id', TG_ARGV[0]) USING CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  RETURN NULL;
END $$;

CREATE TRIGGER consents_in AFTER INSERT ON consents REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_rows('consents');
CREATE TRIGGER consents_out AFTER DELETE ON consents REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_rows('consents');
CREATE TRIGGER webhooks_in AFTER INSERT ON webhooks REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_rows('webhooks');
CREATE TRIGGER webhooks_out AFTER DELETE ON webhooks REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_rows('webhooks');
CREATE TRIGGER oauth_clients_in AFTER INSERT ON oauth_clients REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_rows('clients');
CREATE TRIGGER oauth_clients_out AFTER DELETE ON oauth_clients REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_rows('clients');

-- The bytes of a changed row.
CREATE FUNCTION meter_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage SET bytes = bytes + NEW.held_bytes - OLD.held_bytes WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER meter_changed_vault AFTER UPDATE OF name, description, category ON vaults FOR EACH ROW
  WHEN (NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();
CREATE TRIGGER meter_changed_consent
  AFTER UPDATE OF purpose, description, granted_to, scopes, revocation_reason, metadata ON consents FOR EACH ROW
  WHEN (NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();
CREATE TRIGGER meter_changed_webhook
  AFTER UPDATE OF url, events, description, headers, metadata ON webhooks FOR EACH ROW
  WHEN (NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();
CREATE TRIGGER meter_changed_erasure AFTER UPDATE OF held_bytes ON content_erasures FOR EACH ROW
  WHEN (NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();
CREATE TRIGGER meter_changed_client
  AFTER UPDATE OF name, redirect_uris, scopes, grant_types, jwks ON oauth_clients FOR EACH ROW
  WHEN (NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();

CREATE TRIGGER meter_changed_keyring AFTER UPDATE OF public_key, private_key, unlockers ON keyrings FOR EACH ROW
  WHEN (NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();
-- Lost keys are subtracted by the statement that removes those of all vaults.
CREATE TRIGGER meter_changed_vault_keys AFTER UPDATE OF sealed ON vault_keys FOR EACH ROW
  WHEN (NEW.sealed IS NOT NULL AND NEW.held_bytes <> OLD.held_bytes) EXECUTE FUNCTION meter_changed();

-- Contents that wait to be erased, keyrings and vault keys
CREATE FUNCTION meter_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage a SET bytes = a.bytes + CASE TG_OP WHEN 'INSERT' THEN changed.bytes ELSE -changed.bytes END
  FROM (SELECT user_id, SUM(held_bytes) AS bytes FROM changed_rows GROUP BY user_id) changed
  WHERE a.user_id = changed.user_id AND changed.bytes > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER erasures_in AFTER INSERT ON content_erasures REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION meter_bytes();
CREATE TRIGGER erasures_out AFTER DELETE ON content_erasures REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION meter_bytes();
CREATE TRIGGER keyrings_in AFTER INSERT ON keyrings REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION meter_bytes();
CREATE TRIGGER keyrings_out AFTER DELETE ON keyrings REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION meter_bytes();
CREATE TRIGGER vault_keys_in AFTER INSERT ON vault_keys REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION meter_bytes();
CREATE TRIGGER vault_keys_out AFTER DELETE ON vault_keys REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION meter_bytes();

-- Revoked keys do not count.
CREATE FUNCTION api_keys_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage a SET keys = a.keys + added.rows, bytes = a.bytes + added.bytes
  FROM (
    SELECT user_id, COUNT(*) AS rows, SUM(held_bytes) AS bytes
    FROM new_rows WHERE revoked_at IS NULL GROUP BY user_id
  ) added
  WHERE a.user_id = added.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_in AFTER INSERT ON api_keys REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION api_keys_in();

CREATE FUNCTION api_keys_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage a SET keys = a.keys - gone.rows, bytes = a.bytes - gone.bytes
  FROM (
    SELECT user_id, COUNT(*) AS rows, SUM(held_bytes) AS bytes
    FROM old_rows WHERE revoked_at IS NULL GROUP BY user_id
  ) gone
  WHERE a.user_id = gone.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_out AFTER DELETE ON api_keys REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION api_keys_out();

CREATE FUNCTION meter_revoked_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage SET keys = keys - 1, bytes = bytes - OLD.held_bytes WHERE user_id = OLD.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER meter_revoked_key AFTER UPDATE OF revoked_at ON api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION meter_revoked_key();
