/** Gives functions whose faults are told to `onError` and go no further. */
export function toGuard(onError: (error: unknown) => void) {
  return <Values extends readonly unknown[]>(act: (...values: Values) => void) =>
    (...values: Values): void => {
      try {
        act(...values);
      } catch (error) {
        onError(error);
      }
    };
}
