"""Documents as HTML that is safe to show: text of a document is never markup."""
