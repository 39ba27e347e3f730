  // ---- the table of the models, cheapest first
  const order = (costs, best) => {
    const body = $("models");
    const rows = names.map((_, k) => $(`nec-${k}`).parentNode);
    const sorted = rows.map((row, k) => [costs[k], k, row]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const naive = $("naive").parentNode;
    sorted.forEach(([, k, row]) => {
      row.className = k === best ? "best" : "";
      body.insertBefore(row, naive);
    });
  };
  const savings = (naive, nec) => names.forEach((_, k) => {
    const saved = naive * (1 - nec[k]);
    const cases = volume();
    put(`saving-${k}`, cases === null ? plain(saved, 4) : short(saved * cases), saved * (cases || 1));
  });
  const leave = (moved) => document.querySelectorAll(".stated").forEach((p) => { p.hidden = moved; });

  // ---- who pays
  const payers = (costs, priors, counts) => {
    const paid = counts.map((row, i) => {
      const total = row.reduce((a, b) => a + b, 0) || 1;
      return row.map((n, j) => priors[i] * (n / total) * costs[i][j]);
    });
    const gross = paid.flat().reduce((a, b) => a + Math.abs(b), 0) || 1;
    counts.forEach((row, i) => {
      const total = row.reduce((a, b) => a + b, 0) || 1;
      row.forEach((n, j) => {
        const cell = $(`cell-${i}-${j}`);
        if (!cell) return;
        const share = Math.abs(paid[i][j]) / gross;
        const cases = (1000 * priors[i] * n) / total;
        cell.className = `share-${share < 0.005 ? 0 : 1 + Math.min(3, Math.floor(4 * share))}`;
        cell.dataset.value = String(cases);
        cell.querySelector(".count").textContent = outOf(cases);
        cell.querySelector(".cell-cost").textContent = share < 0.005 ? "" : `${percent(share, 0)} of the cost`;
      });
    });
  };

