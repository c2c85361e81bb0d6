// WEBHOOK_SECRET=… PORT=3000 mono Receiver.exe, after mcs Receiver.cs
using System; using System.Collections.Generic; using System.Linq; using System.Net; using System.Security.Cryptography; using System.Text;
static class Receiver {
  static readonly HashSet<string> handled = new HashSet<string>(); // In production: a table that all processes share.
  static bool IsRight(string id, string sentAt, string signatures, byte[] body) {
    if (!long.TryParse(sentAt, out var seconds) || Math.Abs((decimal)DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
    using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("WEBHOOK_SECRET")))) {
      var message = Encoding.UTF8.GetBytes(id + "." + sentAt + ".").Concat(body).ToArray();
      var expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(message)); // From .NET 5 on, CryptographicOperations.FixedTimeEquals compares bytes.
      var right = signatures.Split(' ').Any(value => value.Length == expected.Length && value.Zip(expected, (a, b) => a ^ b).Aggregate(0, (all, one) => all | one) == 0);
      return right && Encoding.UTF8.GetString(body).StartsWith("{\"id\":\"" + id + "\",", StringComparison.Ordinal); // With a JSON library: compare the parsed id.
    } }
  static int Receive(HttpListenerRequest request) {
    var body = new byte[1 << 20]; int length = 0, read;
    while ((read = request.InputStream.Read(body, length, body.Length - length)) > 0) length += read;
    Array.Resize(ref body, length);
    var id = request.Headers["webhook-id"];
    if (!IsRight(id, request.Headers["webhook-timestamp"] ?? "", request.Headers["webhook-signature"] ?? "", body)) return 401;
    if (handled.Contains(id)) return 200;
    Console.WriteLine(Encoding.UTF8.GetString(body)); // Your work. When it throws, the service sends the event again.
    handled.Add(id);
    return 200;
  }
  static void Main() {
    if (Environment.GetEnvironmentVariable("WEBHOOK_SECRET").Length < 32) throw new Exception("WEBHOOK_SECRET has fewer than 32 characters");
    var listener = new HttpListener(); listener.Prefixes.Add("http://127.0.0.1:" + Environment.GetEnvironmentVariable("PORT") + "/"); listener.Start();
    for (;;) { var context = listener.GetContext();
      try { context.Response.StatusCode = Receive(context.Request); context.Response.Close(); }
      catch (Exception error) { Console.Error.WriteLine(error); context.Response.Abort(); }
    } } }
