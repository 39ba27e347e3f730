  document.querySelectorAll("button.svg").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      const text = new XMLSerializer().serializeToString($(`chart-${button.dataset.chart}`));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
      link.download = button.textContent;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  traced();
  if (two) binary();
  else if (many) matrix();
  else if (each) perCase();
  if (page.capacity) limited();
  started();
  document.documentElement.dataset.ready = "yes";
})();
