<?php // WEBHOOK_SECRET=… php -S 127.0.0.1:3000 receiver.php
function isRight(string $body): bool {
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > 300) return false;
    $message = ($_SERVER['HTTP_WEBHOOK_ID'] ?? '') . ".$sentAt.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $message, getenv('WEBHOOK_SECRET'), true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $value) {
        if (hash_equals($expected, $value)) return true;
    }
    return false;
}
$body = file_get_contents('php://input', length: 1 << 20);
if (!isRight($body)) {
    http_response_code(401);
    exit;
}
// In production: a table. A file that is created marks the event as handled.
$handled = sys_get_temp_dir() . '/webhook-' . sha1($_SERVER['HTTP_WEBHOOK_ID']);
if (@fopen($handled, 'x')) file_put_contents('php://stdout', json_decode($body)->type . "\n");
