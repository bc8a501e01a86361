// Builds the trial with the client that openapi-generator made, and prints the transaction in base64.
import org.openapitools.client.apis.SandboxApi
import org.openapitools.client.apis.TransfersApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.TransferRequest

fun main() {
    val service = System.getenv("SERVICE_URL")
    val world = SandboxApi(service).showSandboxWorld()
    ApiClient.accessToken = world.apiKey
    val addresses = world.wallets.associate { it.name to it.address }
    val request = TransferRequest(
        fromAddress = addresses.getValue("alice"),
        toAddress = addresses.getValue("bob"),
        tokenMintAddress = world.mints.first().address,
        amountDecimal = "1.5",
        memo = "kotlin",
    )
    val reply = TransfersApi(service).buildTransfer(request).`data`
    check(reply.summary.receivedAmount.decimal == "1.5") { "received: ${reply.summary}" }
    println(reply.transaction)
}
