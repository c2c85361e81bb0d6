# WEBHOOK_SECRET=… PORT=3000 ruby receiver.rb (gem install webrick)
require 'webrick'
require 'openssl'
require 'json'
SECRET = ENV.fetch('WEBHOOK_SECRET')
abort 'WEBHOOK_SECRET has fewer than 32 characters' if SECRET.length < 32
HANDLED = {} # In production: a table that all processes share.

def verify(request, body)
  sent_at = request['webhook-timestamp'].to_s
  return unless sent_at.match?(/\A\d+\z/) && (Time.now.to_i - sent_at.to_i).abs <= 300
  message = "#{request['webhook-id']}.#{sent_at}.".b + body
  expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', SECRET, message)].pack('m0')}"
  values = request['webhook-signature'].to_s.split
  return unless values.any? { |value| OpenSSL.secure_compare(value, expected) }
  event = JSON.parse(body)
  event if event.is_a?(Hash) && event['id'] == request['webhook-id']
rescue JSON::ParserError
  nil
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV.fetch('PORT').to_i, AccessLog: [])
server.mount_proc('/') do |request, response|
  body = String.new # Of bytes. Above 1 MiB, the rest is left out and the signature is wrong.
  request.body { |chunk| body << chunk if body.bytesize < 1 << 20 }
  next response.status = 401 unless (event = verify(request, body))
  next if HANDLED.key?(event['id'])
  $stdout.syswrite("#{event['type']}\n") # Your work. When it throws, the service sends the event again.
  HANDLED[event['id']] = true
end
server.start
