# WEBHOOK_SECRET=… PORT=3000 python3 receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
secret = os.environ["WEBHOOK_SECRET"].encode()
if len(secret) < 32: raise SystemExit("WEBHOOK_SECRET has fewer than 32 characters")
handled = set()  # In production: a table that all processes share.

def verify(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or len(sent_at) > 11 or abs(time.time() - int(sent_at)) > 300: raise ValueError("webhook-timestamp")
    message = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    values = headers.get("webhook-signature", "").split()
    if not any(hmac.compare_digest(value.encode(), expected) for value in values): raise ValueError("webhook-signature")
    event = json.loads(body)  # Throws a ValueError too.
    if not isinstance(event, dict) or event.get("id") != headers["webhook-id"]: raise ValueError("webhook-id")
    return event

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        body = self.rfile.read(min(int(length), 1 << 20)) if length.isdecimal() else b""
        try: event = verify(self.headers, body)
        except ValueError: return self.send_error(401)
        if event["id"] not in handled:
            print(event["type"], flush=True)  # Your work. When it throws, the service sends the event again.
            handled.add(event["id"])
        self.send_response(200)
        self.end_headers()

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
