import type { Operation } from '../../operation.ts';
import { statusTexts } from '../replies.ts';

/** The blockhash in the transactions below. */
export const exampleBlockhash = '4TF3UwZFddjQhcDCbPfe2J8HhUxLunQt2ENgJ7Y2rAzn';

/** The last block height at which they could land. */
export const exampleLastValidBlockHeight = '419208222';

// What the sandbox built for the example of each operation, with `encoding` base64. A test builds them again.
const transactions = {
  memo_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAMG2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpM0wKQH7UELc1Rr5c6yz/+AMs7VWSJv4FPmo39pMnnXMCBAEADGludm9pY2UgMTAwMQUEAQMCAAoMYOMWAAAAAAAG',
  yid_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAMG2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpM0wKQH7UELc1Rr5c6yz/+AMs7VWSJv4FPmo39pMnnXMCBAEACHlpZC0xMDAxBQQBAwIACgxg4xYAAAAAAAY=',
  create_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAUI2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5semt6iSEbnYQFpt3SmthryNU/Lrkl/l0tzvxJbNyUAGrVHXxIG+X1dMhMdIPTLSewgTgSv2qBIc5/O/zuNc3WtRFXwhXc/Ddq0kLt2IfAgYX90TRo/zMS1jr2f687kd+ZJzrc4nZoFHw8BleDF3AyJ+wsqNrSi/K5HkIGDkhd/KzfAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKmMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WTNMCkB+1BC3NUa+XOss//gDLO1Vkib+BT5qN/aTJ51zAgcGAAEDBAUGAQEGBAIEAQAKDGDjFgAAAAAABg==',
} as const satisfies Readonly<Record<Operation, string>>;

/** The reply to the example of an operation, with `encoding` base64. */
export function replyExample(operation: Operation): object {
  const transaction = transactions[operation];
  const data = operation === 'memo_transfer' ? { transaction, latestBlockhash: exampleBlockhash } : transaction;
  return { data, status: statusTexts[operation] };
}
