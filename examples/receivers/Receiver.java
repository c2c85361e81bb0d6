// WEBHOOK_SECRET=… PORT=3000 java Receiver.java
import com.sun.net.httpserver.*; import java.net.*; import java.security.*; import java.time.*; import java.util.*; import java.util.concurrent.*; import javax.crypto.*; import javax.crypto.spec.*;
public class Receiver {
  static final Set<String> handled = ConcurrentHashMap.newKeySet(); // In production: a table that all processes share.
  static boolean isRight(Headers headers, byte[] body) throws Exception {
    String id = headers.getFirst("webhook-id"), sentAt = headers.getFirst("webhook-timestamp"), signatures = headers.getFirst("webhook-signature");
    if (id == null || sentAt == null || signatures == null || !sentAt.matches("[0-9]{1,11}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(sentAt)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(System.getenv("WEBHOOK_SECRET").getBytes("UTF-8"), "HmacSHA256"));
    mac.update((id + "." + sentAt + ".").getBytes("UTF-8"));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes("UTF-8");
    boolean right = Arrays.stream(signatures.split(" ")).anyMatch(value -> MessageDigest.isEqual(value.getBytes(), expected));
    return right && new String(body, "UTF-8").startsWith("{\"id\":\"" + id + "\","); // With a JSON library: compare the parsed id.
  }
  static void receive(HttpExchange exchange) throws Exception {
    byte[] body = exchange.getRequestBody().readNBytes(1 << 20);
    boolean right = isRight(exchange.getRequestHeaders(), body);
    String id = exchange.getRequestHeaders().getFirst("webhook-id");
    if (right && !handled.contains(id)) {
      System.out.println(new String(body, "UTF-8")); // Your work. When it throws, the service sends the event again.
      handled.add(id);
    }
    exchange.sendResponseHeaders(right ? 200 : 401, -1);
  }
  public static void main(String[] args) throws Exception {
    if (System.getenv("WEBHOOK_SECRET").length() < 32) throw new IllegalStateException("WEBHOOK_SECRET has fewer than 32 characters");
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
    server.createContext("/", exchange -> { try (exchange) { receive(exchange); } catch (Exception error) { error.printStackTrace(); } });
    server.start();
  } }
