import fs from "node:fs";

export type RegularFile = { readonly type: "bytes"; readonly bytes: Buffer } | { readonly type: "refused"; readonly reason: string };

/**
 * The bytes of a regular file of at most `limitBytes`. All is asked of the one file that was opened, so that nothing
 * changes between a look and the reading: a pipe is never waited for, a link at the end of the path (which is to be a
 * real one) is not followed, and a file that grows meanwhile is refused. Throws the system's error where it cannot be opened.
 */
export function readRegularFile(realPath: string, limitBytes: number): RegularFile {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  // neither of the last two is known on Windows
  const descriptor = fs.openSync(realPath, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile()) return { type: "refused", reason: "is no regular file" };
    if (stats.size > limitBytes) return { type: "refused", reason: `has ${String(stats.size)} bytes, the limit is ${String(limitBytes)}` };
    return readWhole(descriptor, stats.size);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** One byte more than there should be is asked for: it tells that the file has grown. */
function readWhole(descriptor: number, size: number): RegularFile {
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length <= size; length += read) read = fs.readSync(descriptor, bytes, length, bytes.length - length, null);
  return length === size ? { type: "bytes", bytes: bytes.subarray(0, size) } : { type: "refused", reason: "changes while it is read; try again" };
}
