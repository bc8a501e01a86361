import type { Cleanup } from '../setup/service.ts';
import { type Arena, type ArenaOptions, openArena } from './arena.ts';
import { check, type Measured } from './measured.ts';

/** What is done to an arena, and measured. */
export type Scenario = (arena: Arena) => Promise<Measured>;

/** Runs a scenario in an arena of its own, and looks at everything that the service said meanwhile for secrets. */
export async function measureInArena(t: Cleanup, options: ArenaOptions, scenario: Scenario): Promise<Measured> {
  const arena = await openArena(t, options);
  const measured = await scenario(arena);
  const { server, secrets, leaks } = arena;
  const pages = await Promise.all([`${server.url}/readyz`, server.metricsUrl].map(readPage));
  const leaky = [...server.leaks, ...leaks, ...pages.filter((page) => secrets.some((secret) => page.includes(secret)))];
  const noSecret = check(
    'no secret shown',
    leaky.length === 0 ? 'none' : `${leaky.length}, such as ${leaky[0]?.slice(0, 300)}`,
    leaky.length === 0,
  );
  return { ...measured, checks: [...measured.checks, noSecret] };
}

async function readPage(url: string): Promise<string> {
  return (await fetch(url)).text();
}
