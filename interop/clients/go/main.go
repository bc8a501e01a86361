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
	request := openapi.NewCreateTokenAccountTransferRequest(
		addresses["alice"], addresses["bob"], world.Mints[0].Address, "1500000",
	)
	request.SetMemo("go")
	request.SetEncoding("base64")
	request.SetSummary(true)
	authorized := context.WithValue(context.Background(), openapi.ContextAccessToken, world.ApiKey)
	reply, _, err := client.TransfersAPI.BuildCreateTokenAccountTransfer(authorized).
		CreateTokenAccountTransferRequest(*request).Execute()
	check(err)
	if received := reply.Summary.ReceivedAmount.Decimal; received != "1.5" {
		log.Fatalf("received %s", received)
	}
	fmt.Println(*reply.Data.String)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
