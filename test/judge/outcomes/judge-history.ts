import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getCreateAccountInstruction, getInitializeNonceAccountInstruction } from '@solana-program/system';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { unavailable } from '../../../packages/server/src/chain/upstream-faults.ts';
import { installProxyProgram } from '../../setup/proxy-program.ts';
import { fixedAddress, nameIn, systemProgram } from '../addresses.ts';
import { allRules, type Court, openCourt } from '../court.ts';
import type { JudgedWorld, Subject } from '../judge.ts';
import { Random } from '../random.ts';
import type { Situation } from '../situation.ts';
import { clearAccount } from '../token-account.ts';
import { signTransaction } from '../transaction.ts';
import { describeWorld } from '../world.ts';
import { Cluster } from './cluster.ts';
import { drawHistory } from './draw-history.ts';
import { Errands } from './errands.ts';
import type { HistoryWorld, Purpose } from './history-world.ts';
import { judgeOutcomes } from './judge-outcomes.ts';
import { NodeView } from './node-view.ts';
import { neededDenials } from './node-world.ts';
import { preparePayable } from './prepare-trial.ts';
import type { PostedRequest } from './request-body.ts';
import { type Services, startServices } from './services.ts';
import { takeStep } from './take-step.ts';
import type { Trial } from './trial.ts';

/** Where histories are lived through: a ledger, and two services on one database. */
interface Stage {
  court: Court;
  cluster: Cluster;
  services: Services;
}

/** Worlds of outcomes and retries: what two services say of a payment is compared with what the ledger executed. */
export const outcomes: Subject<Stage> = {
  name: 'outcomes',
  rules: allRules.slice(0, 1),
  open: openStage,
  close: ({ services }) => services.close(),
  worldsAtAPlace: 100,
  judge: judgeHistory,
};

/** Opens a stage. */
async function openStage(): Promise<Stage> {
  const [rules] = allRules;
  if (!rules) throw new Error('there are no rules');
  const court = openCourt(rules);
  installProxyProgram(court.ledger);
  const cluster = new Cluster(court.ledger);
  // So that a transaction of the first slots has blocks before it.
  cluster.advance(60, 0);
  return { court, cluster, services: await startServices(court.ledger) };
}

/** Lives through a history, and judges everything that the services say in it. */
async function judgeHistory(stage: Stage, seed: number, number: number): Promise<JudgedWorld> {
  const world = drawHistory(seed, number);
  const { trial, errands } = await prepare(stage, world);
  await live(trial, errands);
  const { situation, disagreements, log, tally } = trial;
  const lines = [
    `history of seed ${seed} world ${number}${world.isStormy ? ', in a storm' : ''}, quorum ${world.nodes.quorum}`,
    `  payment: ${describeWorld(situation.world)}`,
    ...world.nodes.nodes.map((node) => `  node: ${JSON.stringify(node)}`),
    ...log.map((line) => `  ${line}`),
  ];
  return { lines, disagreements, happened: tally };
}

async function live(trial: Trial, errands: Errands): Promise<void> {
  const { world, disagreements, log } = trial;
  for (const step of world.steps) {
    log.push(JSON.stringify(step));
    try {
      await takeStep(trial, errands, step);
      await judgeOutcomes(trial);
    } catch (error) {
      disagreements.push(`it could not be judged: ${error instanceof Error ? error.stack : String(error)}`);
    }
    if (disagreements.length > 0) return;
  }
}

async function prepare(
  { court, cluster, services }: Stage,
  world: HistoryWorld,
): Promise<{ trial: Trial; errands: Errands }> {
  const { seed, number } = world;
  const { situation, posted, otherPayer } = await preparePayable(court, seed, number);
  cluster.advance(1, 0);
  cluster.begin(situation.nonceAccount);
  if (situation.nonceAccount !== undefined) createNonceAccount(cluster, situation, otherPayer);
  const random = new Random(`splwright judge seed ${seed} history ${number} trial`);
  const place = { beginning: cluster.tip, busyAccount: situation.senderTokenAccount };
  const nodes = world.nodes.nodes.map((node, index) => new NodeView(`upstream_${index + 1}`, cluster, node, place));
  if (world.isStormy) for (const node of nodes) node.meddle = failNowAndThen(random);
  services.past.history = {
    nodes: () => nodes,
    neededDenials: neededDenials(world.nodes),
    neededSightings: world.nodes.quorum,
  };
  const { key } = await services.keys.create({ name: nameIn(situation.world, 'owner'), expiresAt: null });
  const trial: Trial = {
    world,
    situation,
    cluster,
    services,
    nodes,
    errands: new Map(),
    otherPayer,
    nonceAccount: situation.nonceAccount,
    random,
    disagreements: [],
    log: [],
    tally: new Map(),
  };
  const twins = drawTwins(random, posted);
  return { trial, errands: new Errands(trial, { twins, owner: { text: key } }) };
}

function failNowAndThen(random: Random): () => void {
  return () => {
    if (random.chance(0.1)) throw unavailable('connection', 'it could not be reached');
  };
}

const nonceAccountBytes = 80n;

/** Makes the nonce account of a situation by a transaction, so that its history is whole. */
function createNonceAccount(cluster: Cluster, situation: Situation, payer: Keypair): void {
  const { ledger } = cluster;
  const { world, feePayer, sender } = situation;
  const nonceAccount = keypairFromName(nameIn(world, 'nonce account'));
  if (nonceAccount.address !== situation.nonceAccount) throw new Error('the nonce account has another address');
  clearAccount(ledger, nonceAccount.address);
  const nonceAuthority = world.options.nonceAccount?.state === 'of_fee_payer' ? feePayer : sender;
  const instructions = [
    getCreateAccountInstruction({
      payer: createNoopSigner(payer.address),
      newAccount: createNoopSigner(nonceAccount.address),
      lamports: ledger.minimumBalanceForRentExemption(nonceAccountBytes),
      space: nonceAccountBytes,
      programAddress: systemProgram,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: nonceAccount.address, nonceAuthority }),
  ];
  const empty = setTransactionMessageFeePayer(payer.address, createTransactionMessage({ version: 0 }));
  const message = appendTransactionMessageInstructions(
    instructions,
    setTransactionMessageLifetimeUsingBlockhash(ledger.latestBlockhash(), empty),
  );
  const { error } = cluster.send(signTransaction(compileTransaction(message), [payer, nonceAccount]));
  if (error !== null) throw new Error(`the nonce account was not made: ${JSON.stringify(error)}`);
  cluster.advance(1, 0);
}

/** In what a twin differs from the payment itself. */
type Difference = 'nothing' | 'memo' | 'reference' | 'amount';

/** Draws the requests of all purposes: the payment itself, and twins of it, which are mostly equal payments. */
function drawTwins(random: Random, posted: PostedRequest): Record<Purpose, PostedRequest> {
  const draw = (): PostedRequest => {
    const difference = random.weighted<Difference>({ nothing: 5, memo: 2, reference: 2, amount: 1 });
    return twinOf(posted, difference, random);
  };
  return { 0: posted, 1: draw(), 2: draw(), plain: draw() };
}

function twinOf({ path, body }: PostedRequest, difference: Difference, random: Random): PostedRequest {
  switch (difference) {
    case 'nothing':
      return { path, body };
    case 'memo': {
      const name = ['memo', 'yid'].find((each) => body[each] !== undefined);
      return { path, body: name === undefined ? body : { ...body, [name]: `${String(body[name])}!` } };
    }
    case 'reference':
      return { path, body: { ...body, references: [fixedAddress(`twin ${random.integer(0, 1e9)}`)] } };
    case 'amount': {
      const { amount } = body;
      return { path, body: typeof amount === 'string' ? { ...body, amount: `${BigInt(amount) + 1n}` } : body };
    }
  }
}
