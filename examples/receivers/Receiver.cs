// WEBHOOK_SECRET=… PORT=3000 mono Receiver.exe, after mcs Receiver.cs
using System; using System.Collections.Generic; using System.IO; using System.Linq; using System.Net; using System.Security.Cryptography; using System.Text;
static class Receiver {
  static readonly HashSet<string> handled = new HashSet<string>(); // In production: a table that all processes share.
  static bool IsRight(HttpListenerRequest request, byte[] body) {
    string id = request.Headers["webhook-id"], sentAt = request.Headers["webhook-timestamp"] ?? "", signatures = request.Headers["webhook-signature"] ?? "";
    if (!long.TryParse(sentAt, out var seconds) || Math.Abs((decimal)DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
    using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("WEBHOOK_SECRET")))) {
      var message = Encoding.UTF8.GetBytes(id + "." + sentAt + ".").Concat(body).ToArray();
      var expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(message));
      return signatures.Split(' ').Any(value => value.Length == expected.Length && value.Zip(expected, (a, b) => a ^ b).Aggregate(0, (all, one) => all | one) == 0);
    } // From .NET 5 on, CryptographicOperations.FixedTimeEquals compares bytes.
  }
  static void Main() {
    var listener = new HttpListener(); listener.Prefixes.Add("http://127.0.0.1:" + Environment.GetEnvironmentVariable("PORT") + "/"); listener.Start();
    while (true) {
      var context = listener.GetContext(); var buffer = new MemoryStream();
      context.Request.InputStream.CopyTo(buffer); var body = buffer.ToArray();
      var right = IsRight(context.Request, body);
      if (right && handled.Add(context.Request.Headers["webhook-id"])) Console.WriteLine(Encoding.UTF8.GetString(body));
      context.Response.StatusCode = right ? 200 : 401; context.Response.Close();
    } } }
