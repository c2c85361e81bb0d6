<?php // WEBHOOK_SECRET=… php -S 127.0.0.1:3000 receiver.php
function verify(string $body): ?object {
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > 300) return null;
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $secret = getenv('WEBHOOK_SECRET') ?: '';
    if (strlen($secret) < 32) throw new LengthException('WEBHOOK_SECRET has fewer than 32 characters');
    $digest = hash_hmac('sha256', "$id.$sentAt.$body", $secret, true);
    $expected = 'v1,' . base64_encode($digest);
    $values = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    $right = array_filter($values, fn ($value) => hash_equals($expected, $value));
    $event = $right ? json_decode($body) : null;
    return is_object($event) && ($event->id ?? null) === $id ? $event : null;
}
$event = verify(file_get_contents('php://input', length: 1 << 20));
if ($event === null) {
    http_response_code(401);
    exit;
}
// In production: a table that all processes share. Here, a file marks the event as handled.
$handled = sys_get_temp_dir() . '/webhook-' . sha1($event->id);
if (!file_exists($handled)) {
    // Your work. When it throws, the service sends the event again.
    file_put_contents('php://stdout', "$event->type\n");
    touch($handled);
}
