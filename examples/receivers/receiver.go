// WEBHOOK_SECRET=… PORT=3000 go run receiver.go
package main
import ("crypto/hmac"; "crypto/sha256"; "encoding/base64"; "encoding/json"; "fmt"; "io"; "net/http"; "os"; "strconv"; "strings"; "sync"; "time")
var handled sync.Map // In production: a table that all processes share.
func isRight(h http.Header, body []byte) bool {
	sentAt, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if age := time.Now().Unix() - sentAt; err != nil || age > 300 || age < -300 { return false }
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	right := false
	for _, value := range strings.Fields(h.Get("webhook-signature")) { right = right || hmac.Equal([]byte(value), []byte(expected)) }
	return right
}
func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !isRight(r.Header, body) { w.WriteHeader(401); return }
	if _, repeated := handled.LoadOrStore(r.Header.Get("webhook-id"), true); repeated { return }
	var event struct{ Type string }
	json.Unmarshal(body, &event)
	fmt.Println(event.Type)
}
func main() { panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive))) }
