/** Runs one attack in a process of its own, until its parent ends it: `attacker.ts NAME TARGET`, with the target as JSON. */
import { attacks } from './attacks.ts';

const [, , name = '', target = ''] = process.argv;
process.on('disconnect', () => process.exit());
attacks[name]?.(JSON.parse(target));
