/**
 * What the configuration needs of zod, as a module of its own: loaded lazily as a whole, zod/mini would bring everything
 * it has, its messages in fifty languages included, and cost more than the rest of a run's start.
 */
export { array, boolean, enum, exactOptional, gt, gte, int, lte, number, record, refine, regex, strictObject, string, union, unknown } from "zod/mini";
