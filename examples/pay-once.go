// Pays an order once, and prints the signature once it is final. Needs: go get github.com/gagliardetto/solana-go@v1.14.0
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"
	"log"
	"net/http"
	"os"
	"time"
)

type object = map[string]any

// post sends JSON until there is an answer. Under its Idempotency-Key a payment is safe to ask for again.
func post(path, order string, body object) object {
	for text, _ := json.Marshal(body); ; time.Sleep(time.Second) {
		request, _ := http.NewRequest("POST", os.Getenv("SPLWRIGHT_URL")+path, bytes.NewReader(text))
		key := "Bearer " + os.Getenv("SPLWRIGHT_API_KEY")
		request.Header = http.Header{"Authorization": {key}, "Content-Type": {"application/json"}, "Idempotency-Key": {order}}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Print(err)
			continue
		}
		var reply object
		err = json.NewDecoder(answer.Body).Decode(&reply)
		answer.Body.Close()
		if err == nil && answer.StatusCode == 200 {
			return reply["data"].(object)
		} else if answer.StatusCode < 500 && answer.Header.Get("Retry-After") == "" {
			log.Fatal(answer.Status, ": ", reply["detail"])
		}
		log.Print(answer.Status, ": ", reply["detail"])
	}
}

func main() {
	order := os.Args[1] // In your database before anything is asked for. It names the payment, not the attempt.
	payer, err := solana.PrivateKeyFromSolanaKeygenFile(os.Getenv("KEYPAIR_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	payment := object{"from_address": payer.PublicKey(), "to_address": os.Getenv("TO_ADDRESS"), "memo": order,
		"token_mint_address": os.Getenv("TOKEN_MINT_ADDRESS"), "amount": "1500000"}
	node, options := rpc.New(os.Getenv("SOLANA_RPC_URL")), rpc.TransactionOpts{PreflightCommitment: "confirmed"}
	for outcome := (object{"outcome": "expired"}); outcome["outcome"] == "expired"; fmt.Println(outcome["outcome"], outcome["signature"]) {
		built := post("/v1/transfers", order, payment)
		transaction, err := solana.TransactionFromBase64(built["transaction"].(string))
		if err != nil {
			log.Fatal(err)
		}
		transaction.Sign(func(solana.PublicKey) *solana.PrivateKey { return &payer })
		question := object{"transaction": transaction.MustToBase64(), "last_valid_block_height": built["lifetime"].(object)["last_valid_block_height"]}
		for outcome = nil; outcome["is_final"] != true; time.Sleep(time.Second) {
			_, refusal := node.SendTransactionWithOpts(context.Background(), transaction, options) // Nodes drop some; the chain takes it once.
			if outcome = post("/v1/transfers/outcome", order, question); refusal != nil && outcome["outcome"] == "pending" {
				log.Print("The node has not taken it; sending again.") // The error has the URL, often with a key.
			}
		}
	}
}
