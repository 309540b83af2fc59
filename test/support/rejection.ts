/** The reason with which `promise` is rejected. Fails when it is not rejected. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error('the promise was not rejected');
}

/** The `code` of that reason. */
export async function codeOfRejection(promise: Promise<unknown>): Promise<unknown> {
  return ((await rejection(promise)) as { code?: unknown }).code;
}
