import { FileLog } from '../../log/file-log.ts';
import { ByteBudget } from '../../storage/byte-budget.ts';
import { findings } from '../../storage/damage.ts';
import { OpenFiles } from '../../storage/open-files.ts';

/** A log whose files begin by their size alone. `lines` gets what was found at its start. */
export function openLog(
  folder: string,
  segmentBytes: number,
  { files = new OpenFiles(10), space = new ByteBudget(Infinity) } = {},
  lines: string[] = [],
): FileLog {
  const rollRules = () => ({ segmentBytes, segmentMs: Infinity });
  const found = findings(false, (line) => lines.push(line));
  return new FileLog(folder, { rollRules, files, space, findings: found }, () => {});
}
