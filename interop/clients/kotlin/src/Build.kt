// Builds the trial with the client that openapi-generator made, and prints the transaction in base64.
import org.openapitools.client.apis.SandboxApi
import org.openapitools.client.apis.TransfersApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.CreateTokenAccountTransferRequest

fun main() {
    val service = System.getenv("SERVICE_URL")
    val world = SandboxApi(service).showSandboxWorld()
    ApiClient.accessToken = world.apiKey
    val addresses = world.wallets.associate { it.name to it.address }
    val request = CreateTokenAccountTransferRequest(
        fromAddress = addresses.getValue("alice"),
        toAddress = addresses.getValue("bob"),
        tokenMintAddress = world.mints.first().address,
        amount = "1500000",
        memo = "kotlin",
        encoding = CreateTokenAccountTransferRequest.Encoding.base64,
        summary = true,
    )
    val reply = TransfersApi(service).buildCreateTokenAccountTransfer(request)
    check(reply.summary?.receivedAmount?.decimal == "1.5") { "received: ${reply.summary}" }
    println(reply.data)
}
