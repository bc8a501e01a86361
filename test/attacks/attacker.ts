/** Runs one attack in a process of its own, until its parent ends it: `attacker.ts NAME TARGET`, with the target as JSON. */
import { answered, attacks } from './attacks.ts';

const [, , name = '', target = ''] = process.argv;
process.on('disconnect', () => process.exit());
attacks[name]?.(JSON.parse(target));
// So that an attack that is refused from the start is not taken for one that does no harm.
setInterval(() => process.send?.(answered), 200);
