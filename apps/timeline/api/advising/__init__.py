"""How an agent makes its versions, over REST."""
