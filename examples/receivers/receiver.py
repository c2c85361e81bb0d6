# WEBHOOK_SECRET=… PORT=3000 python3 receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
handled = set()  # In production: a table that all processes share.

def is_right(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300: return False
    message = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    digest = hmac.new(os.environ["WEBHOOK_SECRET"].encode(), message, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(value.encode(), expected) for value in headers.get("webhook-signature", "").split())

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), 1 << 20))
        right = is_right(self.headers, body)
        if right and self.headers["webhook-id"] not in handled:
            handled.add(self.headers["webhook-id"])
            print(json.loads(body)["type"], flush=True)
        self.send_response(200 if right else 401)
        self.end_headers()

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
