  // ---- reading a chart under the pointer
  const reader = (key, read) => {
    const svg = $(`chart-${key}`);
    if (!svg) return;
    const [a, b, c, d] = page.scales[key];
    const size = svg.viewBox.baseVal;
    const line = $(`${key}-reading`);
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) * size.width) / box.width;
      const y = ((event.clientY - box.top) * size.height) / box.height;
      line.textContent = read((x - a) / b, (y - c) / d, { x, y, a, b, c, d }) || NBSP;
    });
    svg.addEventListener("pointerleave", () => { line.textContent = NBSP; });
  };
  const clicked = (key, act) => {
    const svg = $(`chart-${key}`);
    if (!svg) return;
    svg.classList.add("clicks");
    svg.addEventListener("click", (event) => {
      const [a, b] = page.scales[key];
      const box = svg.getBoundingClientRect();
      act((((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width - a) / b);
    });
  };
  const between_ = names.some((name) => name.includes(",")) ? "; " : ", ";
  const list = (text) => names.map((name, n) => text(name, n)).filter(Boolean).join(between_);
  const trust = (key, given) => {
    const points = Object.entries(given).map(([n, p]) => [Number(n), unpack(p.says), unpack(p.happens)]);
    reader(key, (x, y, { x: u, y: v, a, b, c, d }) => {
      let found = "";
      let nearest = 40 * 40;
      points.forEach(([n, says, happens]) => says.forEach((p, h) => {
        const far = (a + b * p - u) ** 2 + (c + d * happens[h] - v) ** 2;
        if (far < nearest) {
          nearest = far;
          const name = each ? names[n].split(",")[0] : names[n]; // of models, not of their rules
          found = `where ${name} predicts ${rate(p)}, it happens in ${percent(happens[h], 1)} of cases`;
        }
      }));
      return found;
    });
  };
  // ---- lines that are read out by their nearest point
  const LINES = {
    coverage: (x, y, second) => `${percent(x, 0)} decided, ${plain(y, 3)} per case${second ? ", including the cost of abstaining" : ""}`,
    tippett: (x, y, second) => `${percent(y, 1)} of “${app.classes[second ? 0 : 1]}” above a log10 LR of ${x.toFixed(2)}`,
    entropy: (x, y, second) => `${y.toFixed(3)} bits at log10 odds of ${x.toFixed(2)}${second ? ", re-calibrated" : ""}`,
  };
  const traced = () => Object.keys(LINES).filter((key) => page.points[key]).forEach((key) => {
    const lines = page.points[key].map((line) => ({ ...line, x: unpack(line.x), y: unpack(line.y) }));
    reader(key, (_x, _y, { x: u, y: v, a, b, c, d }) => {
      let [found, nearest] = ["", 40 * 40];
      lines.forEach((line) => line.x.forEach((x, h) => {
        const far = (a + b * x - u) ** 2 + (c + d * line.y[h] - v) ** 2;
        if (far < nearest) [found, nearest] = [`${names[line.model]}: ${LINES[key](x, line.y[h], line.second)}`, far];
      }));
      return found;
    });
  });
  const place = (key, k, x, y) => {
    const dot = $(`${key}-dot-${k}`);
    if (!dot) return;
    const [a, b, c, d] = page.scales[key];
    const seen = Number.isFinite(x) && Number.isFinite(y);
    dot.setAttribute("visibility", seen ? "visible" : "hidden");
    if (seen) dot.setAttribute("transform", `translate(${a + b * x} ${c + d * y})`);
  };
  const upright = (key, x) => {
    const line = $(`${key}-line`);
    if (!line) return;
    const [a, b] = page.scales[key];
    const frame = $(`chart-${key}`).querySelector("path").getBBox();
    const at = a + b * x;
    const inside = at >= frame.x && at <= frame.x + frame.width;
    line.setAttribute("visibility", inside ? "visible" : "hidden");
    if (!inside) return;
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    line.setAttribute("y1", frame.y);
    line.setAttribute("y2", frame.y + frame.height);
  };
  const ceiling = (key) => {
    const [, , c, d] = page.scales[key];
    const frame = $(`chart-${key}`).querySelector("path").getBBox();
    return { top: (frame.y - c) / d, bottom: (frame.y + frame.height - c) / d };
  };
  const probit = (p) => { // Acklam's approximation, to place symbols
    const near = Math.min(p, 1 - p);
    if (near <= 0) return p < 0.5 ? -Infinity : Infinity;
    const q = Math.sqrt(-2 * Math.log(near));
    const tail = (((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q -
      2.549732539343734) * q + 4.374664141464968) * q + 2.938163982698783) /
      ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1);
    if (near < 0.02425) return p < 0.5 ? tail : -tail;
    const u = p - 0.5;
    const r = u * u;
    return ((((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r +
      1.38357751867269e2) * r - 3.066479806614716e1) * r + 2.506628277459239) * u) /
      (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r +
      6.680131188771972e1) * r - 1.328068155288572e1) * r + 1);
  };

