"""Builds the trial with the client that openapi-generator made, and prints the transaction in base64."""

import os

from openapi_client import (
    ApiClient,
    Configuration,
    OutcomeRequest,
    SandboxApi,
    Transaction,
    TransferRequest,
    TransfersApi,
)

configuration = Configuration(host=os.environ["SERVICE_URL"])
with ApiClient(configuration) as client:
    world = SandboxApi(client).show_sandbox_world()
    configuration.access_token = world.api_key
    addresses = {wallet.name: wallet.address for wallet in world.wallets}
    request = TransferRequest(
        from_address=addresses["alice"],
        to_address=addresses["bob"],
        token_mint_address=world.mints[0].address,
        amount_decimal="1.5",
        memo="python",
    )
    transfers = TransfersApi(client)
    reply = transfers.build_transfer(request).data
    assert reply.summary.received_amount.decimal == "1.5", reply
    question = OutcomeRequest(
        transaction=Transaction(reply.transaction),
        last_valid_block_height=reply.lifetime.last_valid_block_height,
    )
    answer = transfers.find_outcome(question).data.actual_instance
    assert answer.outcome == "pending" and not answer.is_final, answer
    print(reply.transaction)
