// WEBHOOK_SECRET=… PORT=3000 go run receiver.go
package main
import ("crypto/hmac"; "crypto/sha256"; "encoding/base64"; "encoding/json"; "fmt"; "io"; "net/http"; "os"; "strconv"; "strings"; "sync"; "time")
var handled sync.Map // In production: a table that all processes share.
var secret = os.Getenv("WEBHOOK_SECRET")
type Event struct{ ID, Type string }
func verify(h http.Header, body []byte) (event Event, right bool) {
	sentAt, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if age := time.Now().Unix() - sentAt; err != nil || age > 300 || age < -300 { return }
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, value := range strings.Fields(h.Get("webhook-signature")) {
		right = right || hmac.Equal([]byte(value), []byte(expected))
	}
	right = right && json.Unmarshal(body, &event) == nil && event.ID == h.Get("webhook-id")
	return
}
func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	event, right := verify(r.Header, body)
	if err != nil || !right {
		w.WriteHeader(401)
		return
	}
	if _, repeated := handled.Load(event.ID); repeated { return }
	fmt.Println(event.Type) // Your work. When it fails, respond with 500: the service sends the event again.
	handled.Store(event.ID, true)
}
func main() {
	if len(secret) < 32 { panic("WEBHOOK_SECRET has fewer than 32 characters") }
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive)))
}
