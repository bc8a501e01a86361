// Lands every trial with solana-go, and prints the signature of each on a line of its own.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	bin "github.com/gagliardetto/binary"
	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/mr-tron/base58"
)

type trial struct {
	Name    string         `json:"name"`
	Path    string         `json:"path"`
	Signers []string       `json:"signers"`
	Body    map[string]any `json:"body"`
}

type world struct {
	APIKey  string `json:"api_key"`
	RPCURL  string `json:"rpc_url"`
	Wallets []struct {
		Name      string `json:"name"`
		SecretKey string `json:"secret_key"`
	} `json:"wallets"`
}

var service = os.Getenv("SERVICE_URL")

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile("../trials.json")
	check(err)
	var trials []trial
	check(json.Unmarshal(text, &trials))
	var sandbox world
	check(json.Unmarshal(fetch("GET", "/sandbox/world", "", nil), &sandbox))

	keys := map[string]solana.PrivateKey{}
	for _, wallet := range sandbox.Wallets {
		keys[wallet.Name], err = solana.PrivateKeyFromBase58(wallet.SecretKey)
		check(err)
	}
	client := rpc.New(sandbox.RPCURL)
	for _, each := range trials {
		body, err := json.Marshal(each.Body)
		check(err)
		var reply struct {
			Data json.RawMessage `json:"data"`
		}
		check(json.Unmarshal(fetch("POST", each.Path, sandbox.APIKey, body), &reply))
		transaction, err := solana.TransactionFromDecoder(bin.NewBinDecoder(decode(reply.Data, each.Body["encoding"])))
		check(err)
		_, err = transaction.Sign(func(key solana.PublicKey) *solana.PrivateKey {
			for _, name := range each.Signers {
				if secret := keys[name]; secret.PublicKey().Equals(key) {
					return &secret
				}
			}
			return nil
		})
		check(err)
		// The blockhash is younger than what is finalized: a preflight at the default commitment would not know it.
		options := rpc.TransactionOpts{PreflightCommitment: rpc.CommitmentConfirmed}
		signature, err := client.SendTransactionWithOpts(context.Background(), transaction, options)
		check(err)
		confirm(client, signature)
		fmt.Println(signature)
	}
}

// decode returns the bytes of a transaction from the member `data` of a reply, in any of its shapes and encodings.
func decode(data json.RawMessage, encoding any) []byte {
	var withBlockhash struct {
		Transaction json.RawMessage `json:"transaction"`
	}
	if json.Unmarshal(data, &withBlockhash) == nil {
		data = withBlockhash.Transaction
	}
	if encoding == nil {
		var numbers []uint8
		var integers []int
		check(json.Unmarshal(data, &integers))
		for _, integer := range integers {
			numbers = append(numbers, uint8(integer))
		}
		return numbers
	}
	var text string
	check(json.Unmarshal(data, &text))
	var decoded []byte
	var err error
	if encoding == "base58" {
		decoded, err = base58.Decode(text)
	} else {
		decoded, err = base64.StdEncoding.DecodeString(text)
	}
	check(err)
	return decoded
}

func confirm(client *rpc.Client, signature solana.Signature) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		statuses, err := client.GetSignatureStatuses(context.Background(), false, signature)
		check(err)
		status := statuses.Value[0]
		if status != nil && status.ConfirmationStatus != rpc.ConfirmationStatusProcessed {
			return
		}
	}
	log.Fatalf("%s was not confirmed", signature)
}

func fetch(method, path, key string, body []byte) []byte {
	request, err := http.NewRequest(method, service+path, bytes.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	reply, err := http.DefaultClient.Do(request)
	check(err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	check(err)
	if reply.StatusCode != http.StatusOK {
		log.Fatalf("%s %s: %d %s", method, path, reply.StatusCode, text)
	}
	return text
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
