// Pays an order once, and prints the signature once it is final. Needs: go get github.com/gagliardetto/solana-go@v1.14.0
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/gagliardetto/solana-go"
)

type object = map[string]any

// post sends JSON until there is an answer. Under its Idempotency-Key a payment is safe to ask for again.
func post(url, order string, body object) (reply struct{ Data object }) {
	text, _ := json.Marshal(body)
	key := "Bearer " + os.Getenv("SPLWRIGHT_API_KEY")
	for ; ; time.Sleep(time.Second) {
		request, _ := http.NewRequest("POST", url, bytes.NewReader(text))
		request.Header = http.Header{"Authorization": {key}, "Content-Type": {"application/json"}, "Idempotency-Key": {order}}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			continue
		}
		var read bytes.Buffer
		_, err = read.ReadFrom(answer.Body)
		answer.Body.Close()
		if err == nil && answer.StatusCode == 200 && json.Unmarshal(read.Bytes(), &reply) == nil {
			return reply
		}
		status := answer.StatusCode
		if status < 500 && status != 409 && status != 429 || bytes.Contains(read.Bytes(), []byte("already_landed")) {
			log.Fatal(read.String())
		}
	}
}

func main() {
	service, order := os.Getenv("SPLWRIGHT_URL"), os.Args[1] // The order names the payment, not the attempt.
	payer, err := solana.PrivateKeyFromSolanaKeygenFile(os.Getenv("KEYPAIR_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	payment := object{"from_address": payer.PublicKey(), "to_address": os.Getenv("TO_ADDRESS"), "memo": order,
		"token_mint_address": os.Getenv("TOKEN_MINT_ADDRESS"), "amount_decimal": "1.5"}
	outcome := object{"outcome": "expired"}
	for outcome["outcome"] == "expired" {
		built := post(service+"/v1/transfers", order, payment).Data
		transaction, err := solana.TransactionFromBase64(built["transaction"].(string))
		if err != nil {
			log.Fatal(err)
		}
		transaction.Sign(func(solana.PublicKey) *solana.PrivateKey { return &payer })
		encoded := transaction.MustToBase64()
		question := object{"transaction": encoded, "last_valid_block_height": built["lifetime"].(object)["last_valid_block_height"]}
		options := object{"encoding": "base64", "preflightCommitment": "confirmed"}
		send, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": []any{encoded, options}})
		// Nodes drop transactions, so the same bytes are sent again; the chain takes them once.
		for outcome = nil; outcome["is_final"] != true; time.Sleep(time.Second) {
			if answer, err := http.Post(os.Getenv("SOLANA_RPC_URL"), "application/json", bytes.NewReader(send)); err == nil {
				answer.Body.Close()
			}
			outcome = post(service+"/v1/transfers/outcome", order, question).Data
		}
	}
	fmt.Println(outcome["outcome"], outcome["signature"])
}
