# WEBHOOK_SECRET=… PORT=3000 ruby receiver.rb (gem install webrick)
require 'webrick'
require 'openssl'
require 'json'

HANDLED = {} # In production: a table that all processes share.

def right?(request, body)
  sent_at = request['webhook-timestamp'].to_s
  return false unless sent_at.match?(/\A\d+\z/) && (Time.now.to_i - sent_at.to_i).abs <= 300
  message = "#{request['webhook-id']}.#{sent_at}.".b + body.b
  expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', ENV.fetch('WEBHOOK_SECRET'), message)].pack('m0')}"
  request['webhook-signature'].to_s.split.any? { |value| OpenSSL.secure_compare(value, expected) }
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV.fetch('PORT').to_i, AccessLog: [])
server.mount_proc('/') do |request, response|
  body = request.body.to_s
  next response.status = 401 unless right?(request, body)
  next if HANDLED.key?(request['webhook-id'])
  HANDLED[request['webhook-id']] = true
  $stdout.syswrite("#{JSON.parse(body)['type']}\n")
end
server.start
