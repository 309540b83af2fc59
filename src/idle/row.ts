declare const rowBrand: unique symbol;

/** The number of an element's row in the ElementTable. */
export type Row = number & { readonly [rowBrand]: true };

/** No row. */
export const NO_ROW = -1 as Row;
