import { FileLog, type TornTail } from '../../log/file-log.ts';
import { ByteBudget } from '../../storage/byte-budget.ts';
import { refuseDamage } from '../../storage/damage.ts';
import { OpenFiles } from '../../storage/open-files.ts';

/** A log whose files begin by their size alone. */
export function openLog(
  folder: string,
  segmentBytes: number,
  { files = new OpenFiles(10), space = new ByteBudget(Infinity) } = {},
  onTorn: (tail: TornTail) => void = () => {},
): FileLog {
  const rollRules = () => ({ segmentBytes, segmentMs: Infinity });
  return new FileLog(folder, { rollRules, files, space, onDamage: refuseDamage }, () => {}, onTorn);
}
