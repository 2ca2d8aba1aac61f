import { type RefObject, useLayoutEffect, useState } from 'react';

interface GridShape {
  readonly columns: number;
  /** Distance between the tops of two rows. */
  readonly rowPx: number;
}

/** The number of columns and the row height of a grid with equal rows, measured before the first paint. */
export function useGridShape(grid: RefObject<HTMLElement | null>): GridShape {
  const [shape, setShape] = useState<GridShape>({ columns: 1, rowPx: 100 });
  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return;
    const measure = () => {
      const { columns, rowPx } = shapeOf(element);
      setShape((was) => (was.columns === columns && was.rowPx === rowPx ? was : { columns, rowPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [grid]);
  return shape;
}

function shapeOf(element: HTMLElement): GridShape {
  const { gridTemplateColumns, gridAutoRows, rowGap } = getComputedStyle(element);
  return {
    columns: gridTemplateColumns.split(' ').length,
    rowPx: Number.parseFloat(gridAutoRows) + Number.parseFloat(rowGap),
  };
}
