#!/usr/bin/env bash
# Starts four servers on one PostgreSQL database, and HAProxy before them. Ctrl+C stops all of them.
#
# Needs: document-vault and haproxy on the PATH, DOCUMENT_VAULT_DATABASE_URL.
set -euo pipefail
: "${DOCUMENT_VAULT_DATABASE_URL:?names the PostgreSQL database: postgres://user:password@host:5432/database}"

export PORT=${PORT:-4000}
export PORT_1=${PORT_1:-4001} PORT_2=${PORT_2:-4002} PORT_3=${PORT_3:-4003} PORT_4=${PORT_4:-4004}

# The same for all of them: tokens name the base URL, and links begin with it.
export DOCUMENT_VAULT_BASE_URL=${DOCUMENT_VAULT_BASE_URL:-http://127.0.0.1:$PORT}
export DOCUMENT_VAULT_TRUSTED_PROXIES=127.0.0.1/32

started=()
stop() {
  trap - EXIT INT TERM
  kill "${started[@]}" 2>/dev/null || true
  wait
}
trap stop EXIT INT TERM

for port in "$PORT_1" "$PORT_2" "$PORT_3" "$PORT_4"; do
  document-vault start --port "$port" &
  started+=($!)
done
haproxy -f "$(dirname "$0")/haproxy.cfg" &
started+=($!)
wait
