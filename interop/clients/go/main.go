// Builds the trial with the client that openapi-generator made, and prints the transaction in base64.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	openapi "splwright.example/generated/client"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("SERVICE_URL")}}
	client := openapi.NewAPIClient(configuration)
	world, _, err := client.SandboxAPI.ShowSandboxWorld(context.Background()).Execute()
	check(err)
	addresses := map[string]string{}
	for _, wallet := range world.Wallets {
		addresses[wallet.Name] = wallet.Address
	}
	request := openapi.NewTransferRequest(addresses["alice"], addresses["bob"], world.Mints[0].Address)
	request.SetAmountDecimal("1.5")
	request.SetMemo("go")
	authorized := context.WithValue(context.Background(), openapi.ContextAccessToken, world.ApiKey)
	reply, _, err := client.TransfersAPI.BuildTransfer(authorized).TransferRequest(*request).Execute()
	check(err)
	if received := reply.Data.Summary.ReceivedAmount.Decimal; received != "1.5" {
		log.Fatalf("received %s", received)
	}
	question := openapi.NewOutcomeRequest()
	question.SetTransaction(openapi.Transaction{String: &reply.Data.Transaction})
	question.SetLastValidBlockHeight(reply.Data.Lifetime.GetLastValidBlockHeight())
	answer, _, err := client.TransfersAPI.FindOutcome(authorized).OutcomeRequest(*question).Execute()
	check(err)
	if outcome := answer.Data.TransferOutcome; outcome == nil || outcome.Outcome != "pending" {
		log.Fatalf("outcome %v", outcome)
	}
	fmt.Println(reply.Data.Transaction)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
